import type { Snapshot, StatePlace } from '../read-state.ts';
import { rowsOfJson } from './rows-of-json.ts';

const bodyLimitBytes = 32 * 1_048_576;

/** The rows that a GET answers with. */
export async function readUrl(
  address: string,
  headers: Readonly<Record<string, string>>,
  path: string | undefined,
  { env, signal }: Pick<StatePlace, 'env' | 'signal'>,
): Promise<Snapshot> {
  if (!/^https?:\/\//.test(address) || !URL.canParse(address))
    throw new Error('the address is not an http or https URL');
  const { HttpClient } = await import('../../../shared/http/http-client.ts');
  using client = new HttpClient({ env });
  const request = { url: new URL(address), method: 'GET', headers, body: undefined, bodyLimitBytes, signal };
  const { status, body } = await client.send(request);
  if (status < 200 || status > 299) throw new Error(`the answer is HTTP ${status}`);
  return rowsOfJson(body, path);
}
