//! The library of MPI: opened, its functions found, its two binary interfaces hidden behind [`Calls`].

use std::ffi::{CStr, CString, c_char, c_int, c_void};

// The C library, which std links.
unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *const c_char;
}

/// Functions are found at once (`RTLD_NOW`), and their names are known to libraries that the library opens
/// (`RTLD_GLOBAL`, which has another number on macOS).
fn now_and_global() -> c_int {
    0x2 | match std::env::consts::OS {
        "macos" => 0x8,
        _ => 0x100,
    }
}

/// The names under which the library is looked for. The first has the standard interface, the other two have that of
/// MPICH.
const NAMES: [&str; 3] = ["libmpi_abi.so.1", "libmpich.so.12", "libmpi.so.12"];

/// The variable that names the library, if the usual names are not found or belong to another launcher.
const VARIABLE: &str = "IKERU_MPI_LIBRARY";

/// The differences between the binary interfaces, in addition to the type of handles.
#[derive(Clone, Copy)]
struct Constants<H> {
    world: H,
    byte: H,
    any_source: c_int,
    any_tag: c_int,
    funneled: c_int,
    /// The pointer that means that no status is requested.
    no_status: usize,
    /// The place of the source in a status.
    source: usize,
}

/// The interface of MPICH: handles are numbers.
const MPICH: Constants<c_int> = Constants {
    world: 0x4400_0000,
    byte: 0x4c00_010d,
    any_source: -2,
    any_tag: -1,
    funneled: 1,
    no_status: 1,
    source: 2,
};

/// The standard interface: handles are pointers with fixed values.
const STANDARD: Constants<usize> = Constants {
    world: 0x101,
    byte: 0x247,
    any_source: -1,
    any_tag: -2,
    funneled: 1024,
    no_status: 0,
    source: 0,
};

/// A status of either interface: 20 bytes in MPICH's, 32 in the standard.
type Status = [c_int; 8];

/// The calls that a world makes. Codes other than 0 are MPI's errors.
pub(crate) trait Calls {
    fn init(&self) -> c_int;
    /// Rank and size.
    fn place(&self) -> Result<(c_int, c_int), c_int>;
    /// Sends a message and returns its request. The caller keeps the message until the request is done.
    fn isend(&self, message: &[u8], to: c_int) -> Result<usize, c_int>;
    /// Returns whether the request is done.
    fn test(&self, request: &mut usize) -> Result<bool, c_int>;
    /// The source and the length of a message that has arrived.
    fn iprobe(&self) -> Result<Option<(c_int, c_int)>, c_int>;
    /// Receives the message that was probed.
    fn receive(&self, message: &mut [u8], from: c_int) -> Result<(), c_int>;
    fn abort(&self, code: c_int);
    fn finalize(&self) -> c_int;
}

/// The functions of a library whose handles are of type `H`.
struct Library<H> {
    constants: Constants<H>,
    init_thread: unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int,
    comm_rank: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    comm_size: unsafe extern "C" fn(H, *mut c_int) -> c_int,
    isend: unsafe extern "C" fn(*const c_void, c_int, H, c_int, c_int, H, *mut H) -> c_int,
    test: unsafe extern "C" fn(*mut H, *mut c_int, *mut Status) -> c_int,
    iprobe: unsafe extern "C" fn(c_int, c_int, H, *mut c_int, *mut Status) -> c_int,
    get_count: unsafe extern "C" fn(*const Status, H, *mut c_int) -> c_int,
    recv: unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut Status) -> c_int,
    abort: unsafe extern "C" fn(H, c_int) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
}

/// A handle of an interface, kept as a number.
trait Handle: Copy + Default + 'static {
    fn number(self) -> usize;
    fn of(number: usize) -> Self;
}

impl Handle for c_int {
    fn number(self) -> usize {
        // Both ways keep the 32 bits.
        self as u32 as usize
    }

    fn of(number: usize) -> Self {
        number as u32 as c_int
    }
}

impl Handle for usize {
    fn number(self) -> usize {
        self
    }

    fn of(number: usize) -> Self {
        number
    }
}

/// All messages have one tag; their content distinguishes them.
const TAG: c_int = 7;

fn checked(code: c_int) -> Result<(), c_int> {
    match code {
        0 => Ok(()),
        code => Err(code),
    }
}

// SAFETY of all calls below: the functions were found by their names in a library of this interface, whose prototypes
// they have; pointers are to live values of the caller, or null where MPI allows it; `World` makes every call on the
// thread that called `init`.
impl<H: Handle> Calls for Library<H> {
    fn init(&self) -> c_int {
        let mut provided = 0;
        unsafe {
            (self.init_thread)(
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                self.constants.funneled,
                &raw mut provided,
            )
        }
    }

    fn place(&self) -> Result<(c_int, c_int), c_int> {
        let (mut rank, mut size) = (0, 0);
        checked(unsafe { (self.comm_rank)(self.constants.world, &raw mut rank) })?;
        checked(unsafe { (self.comm_size)(self.constants.world, &raw mut size) })?;
        Ok((rank, size))
    }

    fn isend(&self, message: &[u8], to: c_int) -> Result<usize, c_int> {
        let mut request = H::default();
        let length = c_int::try_from(message.len()).unwrap_or(c_int::MAX);
        let Constants { byte, world, .. } = self.constants;
        checked(unsafe {
            (self.isend)(
                message.as_ptr().cast(),
                length,
                byte,
                to,
                TAG,
                world,
                &raw mut request,
            )
        })?;
        Ok(request.number())
    }

    fn test(&self, request: &mut usize) -> Result<bool, c_int> {
        let (mut handle, mut done) = (H::of(*request), 0);
        let no_status = self.constants.no_status as *mut Status;
        checked(unsafe { (self.test)(&raw mut handle, &raw mut done, no_status) })?;
        *request = handle.number();
        Ok(done != 0)
    }

    fn iprobe(&self) -> Result<Option<(c_int, c_int)>, c_int> {
        let (mut is_there, mut status) = (0, Status::default());
        let Constants {
            any_source,
            any_tag,
            world,
            byte,
            source,
            ..
        } = self.constants;
        checked(unsafe {
            (self.iprobe)(
                any_source,
                any_tag,
                world,
                &raw mut is_there,
                &raw mut status,
            )
        })?;
        if is_there == 0 {
            return Ok(None);
        }
        let mut length = 0;
        checked(unsafe { (self.get_count)(&raw const status, byte, &raw mut length) })?;
        Ok(Some((status[source], length)))
    }

    fn receive(&self, message: &mut [u8], from: c_int) -> Result<(), c_int> {
        let length = c_int::try_from(message.len()).unwrap_or(c_int::MAX);
        let Constants {
            byte,
            world,
            no_status,
            ..
        } = self.constants;
        let no_status = no_status as *mut Status;
        checked(unsafe {
            (self.recv)(
                message.as_mut_ptr().cast(),
                length,
                byte,
                from,
                TAG,
                world,
                no_status,
            )
        })
    }

    fn abort(&self, code: c_int) {
        unsafe { (self.abort)(self.constants.world, code) };
    }

    fn finalize(&self) -> c_int {
        unsafe { (self.finalize)() }
    }
}

/// Opens the library of [`VARIABLE`], or the first of [`NAMES`] that is there.
pub(crate) fn open() -> Result<Box<dyn Calls>, String> {
    let named = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty());
    let names: Vec<String> = match &named {
        Some(name) => vec![name.clone()],
        None => NAMES.map(str::to_owned).to_vec(),
    };
    let mut errors = Vec::new();
    for name in &names {
        let Ok(file) = CString::new(name.as_str()) else {
            return Err(format!("{VARIABLE}: a name with a zero byte"));
        };
        // SAFETY: the name is a string of C; opening a library runs what it begins with, as linking to it would.
        let library = unsafe { dlopen(file.as_ptr(), now_and_global()) };
        if !library.is_null() {
            let is_standard = name.contains("mpi_abi");
            return match is_standard {
                true => find(library, name, STANDARD),
                false => find(library, name, MPICH),
            };
        }
        errors.push(last_error());
    }
    Err(format!(
        "no library of MPI can be opened ({}); install MPICH, or name its library by {VARIABLE}",
        errors.join("; ")
    ))
}

fn last_error() -> String {
    // SAFETY: dlerror gives a string of C that lives until the next call, or null.
    let error = unsafe { dlerror() };
    if error.is_null() {
        return "unknown error".to_owned();
    }
    // SAFETY: not null, see above.
    unsafe { CStr::from_ptr(error) }
        .to_string_lossy()
        .into_owned()
}

/// The functions of an open library.
fn find<H: Handle>(
    library: *mut c_void,
    name: &str,
    constants: Constants<H>,
) -> Result<Box<dyn Calls>, String> {
    let symbol = |function: &CStr| {
        // SAFETY: the library is open, and stays so.
        let found = unsafe { dlsym(library, function.as_ptr()) };
        match found.is_null() {
            true => Err(format!(
                "{name} has no {}: not a library of MPI",
                function.to_string_lossy()
            )),
            false => Ok(found),
        }
    };
    if symbol(c"ompi_mpi_comm_world").is_ok() {
        return Err(format!(
            "{name} is Open MPI's, whose binary interface is its own; expected MPICH's or the standard one"
        ));
    }
    // SAFETY: functions of these names have these prototypes in both interfaces; a pointer to a function fits into a
    // pointer to data on every system that has dlsym.
    unsafe {
        Ok(Box::new(Library {
            constants,
            init_thread: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*mut c_int, *mut c_void, c_int, *mut c_int) -> c_int,
            >(symbol(c"MPI_Init_thread")?),
            comm_rank: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(H, *mut c_int) -> c_int,
            >(symbol(c"MPI_Comm_rank")?),
            comm_size: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(H, *mut c_int) -> c_int,
            >(symbol(c"MPI_Comm_size")?),
            isend: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*const c_void, c_int, H, c_int, c_int, H, *mut H) -> c_int,
            >(symbol(c"MPI_Isend")?),
            test: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*mut H, *mut c_int, *mut Status) -> c_int,
            >(symbol(c"MPI_Test")?),
            iprobe: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(c_int, c_int, H, *mut c_int, *mut Status) -> c_int,
            >(symbol(c"MPI_Iprobe")?),
            get_count: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*const Status, H, *mut c_int) -> c_int,
            >(symbol(c"MPI_Get_count")?),
            recv: std::mem::transmute::<
                *mut c_void,
                unsafe extern "C" fn(*mut c_void, c_int, H, c_int, c_int, H, *mut Status) -> c_int,
            >(symbol(c"MPI_Recv")?),
            abort: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(H, c_int) -> c_int>(
                symbol(c"MPI_Abort")?,
            ),
            finalize: std::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(symbol(
                c"MPI_Finalize",
            )?),
        }))
    }
}
