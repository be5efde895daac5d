/** Why a file could not be read, as the beginning of a sentence. */
export function fileFault(file: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR') return `There is no file ${file}`;
  if (code === 'EISDIR') return `${file} is a folder, not a file`;
  if (code === 'EACCES' || code === 'EPERM') return `${file} may not be read: permission denied`;
  if (code === 'ELOOP') return `${file} is a link that leads back to itself`;
  return `${file} cannot be read: ${code ?? String(error)}`;
}
