/**
 * Codes with which a server says that it, or this connection, goes away, is not ready yet, or has no room left: it has
 * again when space is made, and nothing that was stored is lost until then.
 */
const passingCodes = new Set([
  ...['57P01', '57P02', '57P03', '57P05', '25P03', '53100', '53200', '53300'],
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'],
  ...['EAI_AGAIN', 'ENOTFOUND'],
]);
const passingWords =
  /connection terminated|connection ended|timeout exceeded when trying to connect|read timeout|connection error|client was closed/i;

/** Codes and words with which a server that was there ends a connection, or is not ready yet. */
const cutOffCodes = new Set(['57P01', '57P02', '57P03', 'ECONNRESET', 'EPIPE']);
const cutOffWords = /connection terminated unexpectedly|connection ended unexpectedly|connection error/i;

/** Codes of what is right when it is done again: two transactions in each other's way, a schema that was changed. */
const conflictCodes = new Set(['40001', '40P01', '0A000']);

/** True for failures that pass by themselves when the server comes back; the statement may be repeated. */
export function isPassing(error: unknown): boolean {
  return hasCause(error, (each, code) => {
    if (passingCodes.has(code) || code.startsWith('08') || passingWords.test(each.message)) return true;
    // The socket of a server that is being restarted.
    return code === 'ENOENT' && 'syscall' in each && each.syscall === 'connect';
  });
}

/** True where a server was there, and the connection was lost or refused for a moment. */
export function isCutOff(error: unknown): boolean {
  return hasCause(error, (each, code) => cutOffCodes.has(code) || cutOffWords.test(each.message));
}

/** True for what failed because of something that happened at the same time, and is over. */
export function isConflict(error: unknown): boolean {
  return hasCause(error, (_, code) => conflictCodes.has(code));
}

/** True for an error, a cause of it, or one of several errors of which that can be said. */
function hasCause(error: unknown, isSo: (error: Error, code: string) => boolean): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (isSo(error, typeof code === 'string' ? code : '')) return true;
  const others: readonly unknown[] = error instanceof AggregateError ? error.errors : [];
  return others.some((each) => hasCause(each, isSo)) || hasCause(error.cause, isSo);
}
