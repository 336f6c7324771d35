import sqlalchemy as sa
from alembic import op

revision, down_revision = "first", None


def upgrade():
    op.create_table("person", sa.Column("id", sa.Integer, primary_key=True),
                    sa.Column("name", sa.String(40), nullable=False))
    op.create_table("note", sa.Column("id", sa.Integer, primary_key=True),
                    sa.Column("person_id", sa.Integer, sa.ForeignKey("person.id")),
                    sa.Column("text", sa.String(60), nullable=False),
                    sa.Column("amount", sa.Numeric(10, 2)))
