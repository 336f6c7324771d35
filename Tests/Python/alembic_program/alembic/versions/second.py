import sqlalchemy as sa
from alembic import op

revision, down_revision = "second", "first"


def upgrade():
    # Alembic creates the table again.
    with op.batch_alter_table("person") as batch:
        batch.alter_column("name", type_=sa.String(60))
    op.execute("UPDATE note SET amount = 9 WHERE amount IS NULL")
