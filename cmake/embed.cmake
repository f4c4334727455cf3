# cmake -D FROM=FILE -D TO=FILE -P embed.cmake: FROM's text as a string literal of C++.
file(READ "${FROM}" text)
file(WRITE "${TO}" "R\"embedded(${text})embedded\"\n")
