//! The thread that makes all calls of MPI: it sends, receives, and exchanges the best score of a search.
//!
//! It checks for messages after it sends one, and otherwise every [`LOOK_EVERY`]. The search waits for this thread
//! only to get the number of a subproblem.

use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Result, anyhow};
use ikeru_core::{Incumbent, Score};
use ikeru_mpi::World;

use super::message::RankMessage;

/// The interval at which messages and the incumbent are checked.
const LOOK_EVERY: Duration = Duration::from_micros(300);

/// An order to the thread.
#[derive(Debug)]
enum PostOrder {
    Send(usize, RankMessage),
    Leave,
    Abort(u8),
}

/// The thread, as the rest of the rank sees it.
#[derive(Debug)]
pub(super) struct Post {
    pub rank: usize,
    pub size: usize,
    orders: Sender<PostOrder>,
    /// Messages for this rank, with their sender.
    pub inbox: Mutex<Receiver<(usize, RankMessage)>>,
    watched: Arc<Mutex<Watched>>,
    thread: Mutex<Option<std::thread::JoinHandle<()>>>,
}

/// The incumbent of the search that this rank takes part in.
#[derive(Debug, Default)]
struct Watched {
    incumbent: Option<Arc<Incumbent>>,
    /// The best score received from other ranks.
    told: Option<Score>,
    /// The last score that this rank sent or received.
    known: Option<Score>,
}

impl Watched {
    /// Another rank has an answer with this score.
    fn hear(&mut self, score: Score) {
        let incumbent = self.incumbent.as_ref();
        if incumbent.is_some_and(|incumbent| incumbent.improve(score)) {
            self.told = Some(score);
            self.known = Some(score);
        }
    }

    /// A score that the others do not know.
    fn news(&mut self) -> Option<Score> {
        let incumbent = self.incumbent.as_ref()?;
        // A search resets its incumbent when it begins.
        if let Some(told) = self.told {
            incumbent.improve(told);
        }
        let best = incumbent.best()?;
        (self.known.replace(best) != Some(best)).then_some(best)
    }
}

impl Post {
    /// Joins the world.
    ///
    /// # Errors
    /// No library of MPI, or one that refuses.
    pub fn begin() -> Result<Self> {
        let (orders, to_send) = channel();
        let (arrived, inbox) = channel();
        let (joined, place) = channel();
        let watched = Arc::new(Mutex::new(Watched::default()));
        let own = Arc::clone(&watched);
        let thread = std::thread::Builder::new()
            .name("mpi".to_owned())
            .spawn(move || match World::join() {
                Ok(world) => {
                    let _ = joined.send(Ok((world.rank(), world.size())));
                    attend(world, &to_send, &arrived, &own);
                }
                Err(error) => drop(joined.send(Err(error))),
            })?;
        let (rank, size) = place.recv().map_err(ended)??;
        Ok(Self {
            rank,
            size,
            orders,
            inbox: Mutex::new(inbox),
            watched,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Sends a message, without waiting for it.
    pub fn send(&self, to: usize, message: RankMessage) {
        // The thread ends only with the world.
        let _ = self.orders.send(PostOrder::Send(to, message));
    }

    /// The next message for this rank.
    ///
    /// # Errors
    /// The thread of MPI ended.
    pub fn receive(&self) -> Result<RankMessage> {
        let inbox = self.inbox.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, message) = inbox.recv().map_err(ended)?;
        Ok(message)
    }

    /// Sends and receives rises of this incumbent from now on; `None` ends this.
    pub fn watch(&self, incumbent: Option<Arc<Incumbent>>) {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        *watched = Watched {
            incumbent,
            ..Watched::default()
        };
    }

    /// Leaves the world, as all ranks must.
    pub fn leave(&self) {
        let _ = self.orders.send(PostOrder::Leave);
        let mut thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = thread.take();
        // A thread that panicked has left nothing to wait for.
        let _ = thread.map(std::thread::JoinHandle::join);
    }

    /// Ends all ranks.
    pub fn abort(&self, code: u8) -> ! {
        let _ = self.orders.send(PostOrder::Abort(code));
        std::thread::sleep(Duration::from_secs(5));
        std::process::exit(i32::from(code));
    }
}

/// The error of a thread that is gone.
fn ended(_: RecvError) -> anyhow::Error {
    anyhow!("the thread of MPI ended")
}

/// Sends and receives until the world is left. MPI itself ends the program when a call fails.
fn attend(
    mut world: World,
    orders: &Receiver<PostOrder>,
    arrived: &Sender<(usize, RankMessage)>,
    watched: &Mutex<Watched>,
) {
    loop {
        match orders.recv_timeout(LOOK_EVERY) {
            Ok(PostOrder::Send(to, message)) => {
                let Ok(text) = serde_json::to_vec(&message) else {
                    continue;
                };
                let _ = world.send(to, text);
            }
            Ok(PostOrder::Leave) => {
                let _ = world.leave();
                return;
            }
            Ok(PostOrder::Abort(code)) => world.abort(i32::from(code)),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let mut watched = watched.lock().unwrap_or_else(PoisonError::into_inner);
        while let Ok(Some((from, text))) = world.receive() {
            match serde_json::from_slice(&text) {
                Ok(RankMessage::Bound(score)) => watched.hear(score),
                Ok(message) => drop(arrived.send((from, message))),
                // All ranks are one program.
                Err(_) => {}
            }
        }
        if let Some(score) = watched.news()
            && let Ok(text) = serde_json::to_vec(&RankMessage::Rise(score))
        {
            let _ = world.send(0, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use ikeru_core::Direction;

    use super::*;

    #[test]
    fn only_what_the_others_do_not_know_is_news() {
        let incumbent = Arc::new(Incumbent::new(Direction::Maximize));
        let mut watched = Watched {
            incumbent: Some(Arc::clone(&incumbent)),
            ..Watched::default()
        };
        assert_eq!(watched.news(), None);
        incumbent.improve(3);
        assert_eq!((watched.news(), watched.news()), (Some(3), None));
        watched.hear(7);
        assert_eq!((incumbent.get(), watched.news()), (7, None));
        watched.hear(5);
        assert_eq!(incumbent.get(), 7, "what is worse changes nothing");
        incumbent.improve(9);
        assert_eq!(watched.news(), Some(9));
        // A search that begins later than others resets its incumbent and gets the score again.
        incumbent.reset();
        assert_eq!((watched.news(), incumbent.get()), (Some(7), 7));
        assert_eq!(Watched::default().news(), None);
    }
}
