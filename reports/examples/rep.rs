fn main(){ let p=std::env::args().nth(1).unwrap(); match ikeru_reports::report(std::path::Path::new(&p)) { Ok(r)=>println!("{}",r.page.display()), Err(e)=>{eprintln!("{e}");std::process::exit(1)} } }
