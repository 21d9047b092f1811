"""Sends what `seed.py status` prints to a server.

    send.py PORT"""

import socket
import sys

while length := sys.stdin.buffer.readline():
    message = sys.stdin.buffer.read(int(length))
    with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=20) as connection:
        connection.sendall(message)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(100)
