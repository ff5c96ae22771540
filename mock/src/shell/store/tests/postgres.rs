//! The laws on PostgreSQL, and tests of this store's own rules.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use moot_test_postgres::Cluster;
use tokio::runtime::Runtime;

use super::{address, check};
use crate::shell::postgres::{
    HeadRow, LeaseOrder, LeaseOutcome, PostgresAddress, Trust, ask, connect, prepare,
};
use crate::shell::store::error::DurableError;
use crate::shell::store::postgres_store::PostgresStore;
use crate::shell::store::row_store::RowStore;
use crate::shell::store::table::{Entry, KeyTable};
use crate::world::ChangeBatch;

/// A node of a test.
const NODE: [u8; 16] = [7; 16];

/// Takes the lease anew, and opens the store.
fn opened(runtime: &Runtime, address: &PostgresAddress) -> (PostgresStore, Arc<Trust>) {
    let (trust, address) = (Arc::new(Trust::default()), address.clone());
    let used = trust.clone();
    let opening = runtime.spawn(async move {
        let connection = connect(&address, "test", Duration::from_secs(5)).await?;
        prepare(&connection).await?;
        let look = async || ask(&connection, LeaseOrder::Look, &NODE, "here").await;
        let LeaseOutcome::Row(HeadRow { epoch, renewals, .. }) = look().await? else {
            panic!("a row");
        };
        let take = LeaseOrder::Take { epoch, renewals, next: epoch + 1 };
        assert_eq!(ask(&connection, take, &NODE, "here").await?, LeaseOutcome::Done);
        let LeaseOutcome::Row(row) = look().await? else { panic!("a row") };
        used.grant(row.epoch, Duration::MAX);
        PostgresStore::open(&address, used, row).await
    });
    let store = runtime.block_on(opening).expect("it runs");
    (store.unwrap_or_else(|error| panic!("{error}")), trust)
}

fn put(store: &PostgresStore, url: &str) -> Result<(), DurableError> {
    let noted = ChangeBatch { is_reset: false, changes: vec![address(url, "text")] };
    let entry = Entry::Changes { world: 0, noted };
    store.commit(&Arc::new(KeyTable::default().batch(&[entry])))
}

#[test]
fn postgres_keeps_all_laws() {
    let cluster = Arc::new(Cluster::start());
    let number = Cell::new(0);
    check(|| {
        number.set(number.get() + 1);
        let url = cluster.url(&format!("law{}", number.get()));
        let address = PostgresAddress::read(&url, None).expect("an address");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .expect("a runtime");
        Box::new(move || -> Arc<dyn RowStore> { Arc::new(opened(&runtime, &address).0) })
    });
}

#[test]
fn a_node_whose_lease_was_taken_writes_nothing_and_is_closed_for_good() {
    let cluster = Cluster::start();
    let address = PostgresAddress::read(&cluster.url("fenced"), None).expect("an address");
    let runtime = Runtime::new().expect("a runtime");
    let (first, first_trust) = opened(&runtime, &address);
    assert!(put(&first, "http://a/").is_ok());
    let (second, second_trust) = opened(&runtime, &address);
    second.read().unwrap_or_else(|error| panic!("{error}"));
    let refused = put(&first, "http://late/");
    let why = refused.expect_err("another node is active").to_string();
    assert!(why.contains("another node"), "{why}");
    assert!(!first.may_act() && !first_trust.holds(first.head().epoch));
    assert!(put(&first, "http://later/").is_err(), "it stays closed");
    assert!(second.may_act() && second_trust.holds(second.head().epoch));
    assert!(put(&second, "http://b/").is_ok());
    let urls = cluster.sql("fenced", "select convert_from(key, 'utf8') from moot_row order by 1");
    assert_eq!(urls, "row/0/address/http://a/\nrow/0/address/http://b/");
    assert_eq!(cluster.sql("fenced", "select seq, epoch from moot_head"), "2|2");
}

#[test]
fn a_connection_that_the_server_ends_closes_the_store_and_loses_nothing() {
    let cluster = Cluster::start();
    let address = PostgresAddress::read(&cluster.url("ended"), None).expect("an address");
    let runtime = Runtime::new().expect("a runtime");
    let (store, trust) = opened(&runtime, &address);
    assert!(put(&store, "http://a/").is_ok());
    let end = "select count(pg_terminate_backend(pid)) from pg_stat_activity \
               where application_name = 'moot/write'";
    assert_eq!(cluster.sql("ended", end), "1");
    assert!(put(&store, "http://b/").is_err());
    assert!(!trust.holds(store.head().epoch));
    assert_eq!(store.head().seq, 1, "the acknowledged commit is known");
    let (again, _) = opened(&runtime, &address);
    assert_eq!(again.head().seq, 1);
    assert!(put(&again, "http://b/").is_ok());
}
