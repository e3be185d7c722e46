/** Starts a command that may have so many files and connections open, and no more. */
export const withDescriptors =
  (limit: number) =>
  (command: string[]): string[] => ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...command];
