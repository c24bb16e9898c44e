use std::fmt;

#[derive(Debug)]
#[allow(dead_code)]
pub struct Shelf<T> {
    books: Vec<T>,
}

pub trait Open {
    fn open(&self);
}

impl<T> Open for Shelf<T> {
    #[inline]
    fn open(&self) {
        fn inner() {}
        inner();
    }
}

pub enum Kind {
    Paper,
}

mod rooms {
    pub fn enter() {}
}

macro_rules! fill {
    () => {};
}

const LIMIT: usize = 3;
