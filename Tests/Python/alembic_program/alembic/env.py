import os

import models
from alembic import context
from sqlalchemy import create_engine

engine = create_engine("sqlite:///" + os.environ["DATABASE"])
with engine.connect() as connection:
    context.configure(
        connection=connection, target_metadata=models.Base.metadata, render_as_batch=True,
        include_name=lambda name, kind, parents: not (name or "").startswith("travelog_"))
    with context.begin_transaction():
        context.run_migrations()
