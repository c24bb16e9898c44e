pragma solidity ^0.8.0;

interface IOpen {
    function open() external;
}

contract Shelf is IOpen {
    struct Book {
        string title;
    }

    event Opened(address who);

    modifier onlyOwner() {
        _;
    }

    constructor() {
    }

    function open() external override {
    }
}
