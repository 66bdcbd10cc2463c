//! Kernel crate with `unsafe`: the dozen functions of MPI that ikeru needs, loaded at run time.
//!
//! A build needs no MPI: the library is opened when a world is joined. The crate knows two binary interfaces: that of
//! MPICH 3 and later, which Intel's and Cray's libraries share, and the standard one of MPI 5. The opened library
//! must belong to the launcher.
//!
//! A [`World`] sends and receives whole messages of bytes. No call blocks but [`World::leave`].

mod library;

use std::ffi::c_int;
use std::fmt;
use std::marker::PhantomData;

use library::{Calls, open};

/// Why there is no world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoWorld(pub String);

impl fmt::Display for NoWorld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NoWorld {}

/// All processes that one launcher started. It stays on the thread that joined it.
pub struct World {
    calls: Box<dyn Calls>,
    rank: usize,
    size: usize,
    /// Messages that are on their way.
    sent: Vec<Sent>,
    _of_one_thread: PhantomData<*const ()>,
}

/// A message on its way: MPI reads it until its request is done.
struct Sent {
    request: usize,
    _message: Box<[u8]>,
}

impl World {
    /// Opens the library and joins the world. Call it once in a process.
    ///
    /// # Errors
    /// No library that can be opened, or one that lacks a function or refuses.
    pub fn join() -> Result<Self, NoWorld> {
        let calls = open().map_err(NoWorld)?;
        let refused = |what: &str, code: c_int| NoWorld(format!("{what} failed with code {code}"));
        match calls.init() {
            0 => {}
            code => return Err(refused("MPI_Init_thread", code)),
        }
        let (rank, size) = calls
            .place()
            .map_err(|code| refused("MPI_Comm_rank", code))?;
        Ok(Self {
            calls,
            rank: usize::try_from(rank).unwrap_or(0),
            size: usize::try_from(size).unwrap_or(1),
            sent: Vec::new(),
            _of_one_thread: PhantomData,
        })
    }

    /// The number of this process, from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Sends a message to the process `to`, without waiting for it.
    ///
    /// # Errors
    /// MPI's code.
    pub fn send(&mut self, to: usize, message: Vec<u8>) -> Result<(), i32> {
        self.settle()?;
        let message = message.into_boxed_slice();
        let to = c_int::try_from(to).unwrap_or(c_int::MAX);
        let request = self.calls.isend(&message, to)?;
        self.sent.push(Sent {
            request,
            _message: message,
        });
        Ok(())
    }

    /// The next message that has arrived, and who sent it.
    ///
    /// # Errors
    /// MPI's code.
    pub fn receive(&mut self) -> Result<Option<(usize, Vec<u8>)>, i32> {
        self.settle()?;
        let Some((from, length)) = self.calls.iprobe()? else {
            return Ok(None);
        };
        let mut message = vec![0; usize::try_from(length).unwrap_or(0)];
        self.calls.receive(&mut message, from)?;
        Ok(Some((usize::try_from(from).unwrap_or(0), message)))
    }

    /// Frees the messages that were sent.
    fn settle(&mut self) -> Result<(), i32> {
        let mut at = 0;
        while at < self.sent.len() {
            if self.calls.test(&mut self.sent[at].request)? {
                self.sent.swap_remove(at);
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// Ends all processes of the world with this exit code.
    pub fn abort(&self, code: i32) -> ! {
        self.calls.abort(code);
        std::process::exit(code);
    }

    /// Waits until all messages are on their way, and leaves the world. All processes must.
    ///
    /// # Errors
    /// MPI's code.
    pub fn leave(mut self) -> Result<(), i32> {
        while !self.sent.is_empty() {
            self.settle()?;
            std::thread::yield_now();
        }
        match self.calls.finalize() {
            0 => Ok(()),
            code => Err(code),
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A world that is not left ends without MPI_Finalize. MPI may still read messages: they are not freed.
        std::mem::forget(std::mem::take(&mut self.sent));
    }
}

/// The environment variable of the launcher and the number of processes that it promises. Another number than
/// [`World::size`] means that the launcher and the library do not know each other: each process is then a world of
/// one.
pub fn promised(variable: impl Fn(&str) -> Option<String>) -> Option<(&'static str, usize)> {
    let known = [
        "PMI_SIZE",
        "OMPI_COMM_WORLD_SIZE",
        "SLURM_STEP_NUM_TASKS",
        "SLURM_NTASKS",
    ];
    let mut found = known
        .into_iter()
        .filter_map(|name| Some((name, variable(name)?.parse().ok()?)));
    found.next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_launcher_is_believed() {
        let of = |pairs: &'static [(&str, &str)]| {
            promised(|name| {
                let mut found = pairs.iter().filter(|(known, _)| *known == name);
                found.next().map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[("SLURM_NTASKS", "8")]), Some(("SLURM_NTASKS", 8)));
        // mpirun of two processes in a job of eight tasks.
        assert_eq!(
            of(&[("SLURM_NTASKS", "8"), ("PMI_SIZE", "2")]),
            Some(("PMI_SIZE", 2))
        );
        assert_eq!(of(&[("PMI_SIZE", "x")]), None);
    }
}
