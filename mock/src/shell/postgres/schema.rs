//! The tables, and the steps from one version of them to the next.

use tokio_postgres::types::Type;

use super::connection::DatabaseConnection;
use super::error::PostgresError;

/// The steps. The version of the tables is the number of steps that ran. A released step never changes.
const STEPS: &[&str] = &[
    // Version 1.
    // `moot_head` has one row: the node that may write, and the newest commit. `moot_row` has an index on the
    // digest of the key, because keys can be too long for an index. A document is stored in parts.
    "create table moot_head (
       one boolean primary key default true check (one),
       epoch bigint not null default 0,
       holder bytea,
       address text not null default '',
       renewals bigint not null default 0,
       seq bigint not null default 0,
       digest bytea not null default ''
     );
     insert into moot_head default values;
     create table moot_row (id bytea primary key, key bytea not null, value bytea not null);
     create table moot_document (
       digest bytea, part int, bytes bytea not null, primary key (digest, part)
     );",
];

/// The number of the advisory lock for changes of the tables. It is arbitrary.
const LOCK: i64 = 0x6d6f_6f74;

/// Brings the tables to the newest version, once, even if many nodes start together.
///
/// # Errors
/// [`PostgresError::NewerSchema`], or a statement that failed.
pub(crate) async fn prepare(connection: &DatabaseConnection) -> Result<(), PostgresError> {
    upgrade(connection, STEPS).await
}

async fn upgrade(connection: &DatabaseConnection, steps: &[&str]) -> Result<(), PostgresError> {
    let known = i32::try_from(steps.len()).unwrap_or(i32::MAX);
    // Up-to-date tables are not locked, so a node that starts does not disturb the others.
    if version(connection).await? == Some(known) {
        return Ok(());
    }
    connection
        .run(&format!(
            "begin; select pg_advisory_xact_lock({LOCK});
             create table if not exists moot_schema (version int not null);"
        ))
        .await?;
    let upgraded = upgrade_locked(connection, steps, known).await;
    connection.run(if upgraded.is_ok() { "commit" } else { "rollback" }).await?;
    upgraded
}

async fn upgrade_locked(
    connection: &DatabaseConnection,
    steps: &[&str],
    known: i32,
) -> Result<(), PostgresError> {
    let found = version(connection).await?.unwrap_or(0);
    if found > known {
        return Err(PostgresError::NewerSchema { found, known });
    }
    for step in steps.iter().skip(usize::try_from(found).unwrap_or_default()) {
        connection.run(step).await?;
    }
    connection
        .run(&format!("delete from moot_schema; insert into moot_schema values ({known})"))
        .await
}

/// The version of the tables; `None` if there are none.
async fn version(connection: &DatabaseConnection) -> Result<Option<i32>, PostgresError> {
    let known = "select to_regclass('moot_schema') is not null";
    let rows = connection.query(known, &[] as &[(_, Type)]).await?;
    if !rows.first().is_some_and(|row| row.get(0)) {
        return Ok(None);
    }
    let rows = connection.query("select max(version) from moot_schema", &[]).await?;
    Ok(rows.first().and_then(|row| row.get(0)))
}

/// The settings of the database that are off and without which a crash loses commits.
///
/// # Errors
/// The statement failed.
pub(crate) async fn unsafe_settings(
    connection: &DatabaseConnection,
) -> Result<Vec<String>, PostgresError> {
    let statement = "select name from pg_settings where setting = 'off' \
                     and name in ('fsync', 'full_page_writes', 'synchronous_commit') order by name";
    let rows = connection.query(statement, &[]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::{PostgresAddress, PostgresError, connect};
    use super::{STEPS, upgrade};

    /// The name lets `--skip postgres::` skip these tests.
    mod postgres {
        use super::*;

        #[tokio::test]
        async fn tables_are_brought_forward_and_newer_ones_are_refused() {
            let cluster = moot_test_postgres::Cluster::start();
            let address = PostgresAddress::read(&cluster.url("steps"), None).expect("an address");
            let connection =
                connect(&address, "test", Duration::from_secs(5)).await.expect("a connection");
            let two = ["create table a (x int)", "alter table a add y int default 7"];
            upgrade(&connection, &two[..1]).await.expect("version 1");
            connection.run("insert into a values (1)").await.expect("a row");
            upgrade(&connection, &two).await.expect("version 2");
            upgrade(&connection, &two).await.expect("nothing to do");
            let rows = connection.query("select x, y from a", &[]).await.expect("rows");
            assert_eq!((rows[0].get::<_, i32>(0), rows[0].get::<_, i32>(1)), (1, 7));
            let refused = upgrade(&connection, &two[..1]).await.expect_err("a newer version");
            let PostgresError::NewerSchema { found: 2, known: 1 } = refused else {
                panic!("{refused}");
            };
            // The refusal left no transaction open.
            upgrade(&connection, &two).await.expect("still version 2");
        }

        #[tokio::test]
        async fn many_nodes_make_the_tables_once() {
            let cluster = moot_test_postgres::Cluster::start();
            let address = PostgresAddress::read(&cluster.url("many"), None).expect("an address");
            let nodes = (0..8).map(|_| async {
                let timeout = Duration::from_secs(10);
                let connection = connect(&address, "test", timeout).await.expect("a connection");
                upgrade(&connection, STEPS).await.expect("tables");
            });
            futures_util::future::join_all(nodes).await;
        }
    }
}
