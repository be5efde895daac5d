import { AssayError, asAssayError } from '../../../domain/errors.ts';
import type { PostgresPlace } from '../open-store.ts';
import type { Store } from '../store.ts';

/** Why a store could not be opened, in words that a person can act on. */
export function openingFailure(error: unknown, place: PostgresPlace): AssayError {
  if (error instanceof AssayError) return error;
  const { reason, hint } = explained(error, place);
  return new AssayError('STORE_UNAVAILABLE', `Cannot open the store ${place.shown}: ${reason}`, { hint, cause: error });
}

function explained(error: unknown, { host, user, database }: PostgresPlace): { reason: string; hint?: string } {
  const message = error instanceof Error ? error.message : String(error);
  const code = String((error as { code?: unknown } | null)?.code);
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return {
        reason: `there is no host "${host}".`,
        hint: 'Check the name of the host in the address, and the network.',
      };
    case 'ECONNREFUSED':
      return { reason: `nothing answers at ${host}.`, hint: 'Check that Postgres runs there, and the port.' };
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return {
        reason: `${host} cannot be reached.`,
        hint: 'Check the network and the firewall between here and there.',
      };
    case '28P01':
    case '28000':
      return {
        reason: `the server refused the user "${user}": ${message}.`,
        hint: 'Check user and password in the address, and what pg_hba.conf on the server allows.',
      };
    case '3D000':
      return { reason: `there is no database "${database}".`, hint: `Create it with \`createdb ${database}\`.` };
    case '42501':
      return {
        reason: `user "${user}" may not create tables: ${message}.`,
        hint: `Run \`grant create on schema public to "${user}"\`, or make it the owner of the database.`,
      };
    case '53300':
      return { reason: 'the server has no connection left.', hint: 'Raise max_connections, or start fewer workers.' };
    default:
      return explainedByWords(message, host);
  }
}

function explainedByWords(message: string, host: string): { reason: string; hint?: string } {
  if (/timeout/i.test(message))
    return { reason: `${host} did not answer in time.`, hint: 'Check the network, the port and the firewall.' };
  if (/does not support SSL/i.test(message))
    return { reason: `${host} does not support TLS.`, hint: 'Leave out sslmode, or switch ssl on in the server.' };
  if (/password must be a string/i.test(message))
    return { reason: 'the server requires a password.', hint: 'Add it to the address, or set PGPASSWORD.' };
  return { reason: message };
}

type Method = (...given: never[]) => Promise<unknown>;

/** The same store; whatever its engine throws becomes an error of ours that blames the store. */
export function withNamedFailures(store: Store): Store {
  const wrap =
    (method: Method): Method =>
    async (...given) => {
      try {
        return await method(...given);
      } catch (error) {
        throw asAssayError(error, 'STORE_UNAVAILABLE');
      }
    };
  const methods = Object.entries(store) as [keyof Store, Method][];
  const wrapped = Object.fromEntries(methods.map(([name, method]) => [name, wrap(method)]));
  return { ...wrapped, [Symbol.asyncDispose]: store[Symbol.asyncDispose] } as unknown as Store;
}
