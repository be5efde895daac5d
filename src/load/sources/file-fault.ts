/** Why a file could not be read, to be said beside its name. */
export function fileFault(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  return (code === undefined ? undefined : words[code]) ?? `it cannot be read (${code ?? String(error)})`;
}

/** What is said of pipes, devices and sockets: they have no end to wait for, or can be read only once. */
export const notRegularFile = 'it is not a regular file';

const words: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a folder, not a file',
  EACCES: 'it may not be read: permission denied',
  EPERM: 'it may not be read: permission denied',
  ELOOP: 'it is a link that leads back to itself',
};
