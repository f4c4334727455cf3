# Writes what `program` prints of itself under `share`: completions of three shells, and the man page. It is a list where
# an emulator runs it.
foreach(made "--completion bash=bash-completion/completions/harness" "--completion zsh=zsh/site-functions/_harness"
        "--completion fish=fish/vendor_completions.d/harness.fish" "--man=man/man1/harness.1")
  string(REPLACE "=" ";" made "${made}")
  list(GET made 0 words)
  list(GET made 1 file)
  separate_arguments(words)
  set(path "${share}/${file}")
  cmake_path(GET path PARENT_PATH folder)
  file(MAKE_DIRECTORY "${folder}")
  message(STATUS "Installing: ${path}")
  execute_process(COMMAND ${program} help ${words} OUTPUT_FILE "${path}" COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${installed_share}/${file}")   # who uninstalls goes by it
endforeach()
