"""database.py: the working database as a resource: one connection a run, that rests."""

import dagster as dg
import duckdb
import pytest

from graphrag_assets.database import IndexDatabase


@pytest.fixture
def database(tmp_path):
    return IndexDatabase(database=str(tmp_path / "work" / "index.duckdb"))


def within_a_run(database, work):
    """Do some work in a step of a run; what it raises is raised."""

    @dg.op(required_resource_keys={"duckdb"})
    def step(context):
        work(context.resources.duckdb)

    @dg.job(resource_defs={"duckdb": database})
    def run():
        step()

    run.execute_in_process()


def closed(connection):
    try:
        connection.execute("SELECT 1")
    except duckdb.ConnectionException:
        return True
    return False


def test_outside_a_run_a_connection_lives_for_one_use(database):
    with database.get_connection() as one:
        assert not closed(one)
    assert closed(one)


def test_within_a_run_a_connection_is_kept_until_it_rests(database):
    def work(lent):
        with lent.get_connection() as one:
            pass
        with lent.get_connection() as again:
            assert again is one
        lent.rest()
        assert closed(one)
        with lent.get_connection() as other:
            assert not closed(other)
        found.append(other)

    found = []
    within_a_run(database, work)
    assert closed(found[0])


def half_done(database):
    with database.get_connection() as connection:
        connection.begin()
        connection.execute("INSERT INTO asset_states VALUES ('files', '', '', '', true)")
        connection.execute("FROM nowhere")


def test_what_fails_is_rolled_back_and_the_next_use_has_a_new_connection(database):
    def work(lent):
        with pytest.raises(duckdb.CatalogException):
            half_done(lent)
        with lent.get_connection() as connection:
            counted.extend(connection.execute("SELECT count(*) FROM asset_states").fetchall())

    counted = []
    within_a_run(database, work)
    assert counted == [(0,)]
