import { pathToFileURL } from 'node:url';
import { inputCapabilities } from '../../drive/mcp/protocol-versions.ts';
import type { McpSession } from '../../drive/mcp/session.ts';
import { isRecord } from '../../shared/json.ts';
import { seededRandom } from '../../shared/seeded-random.ts';
import { NoSample, ValueSampler } from '../arguments/value-sampler.ts';
import type { ServerAccess } from './server-access.ts';

/** The capabilities that this check offers to servers, as most clients with all features do. */
export const clientCapabilities = { sampling: {}, elicitation: { form: {} }, roots: {} } as const;

const seed = 1;

/** Answers what a server asks of its client: as a model, as a user who fills in forms, and with the folder of the server. */
export function simulateClient(session: McpSession, folder: string | undefined): void {
  const roots = folder === undefined ? [] : [{ uri: pathToFileURL(folder).href, name: 'project' }];
  session.onRequest('sampling/createMessage', async () => ({
    role: 'assistant',
    content: { type: 'text', text: 'This is the answer of the model.' },
    model: 'assay-simulated-model',
    stopReason: 'endTurn',
  }));
  session.onRequest('elicitation/create', async ({ params }) => filledIn(params));
  session.onRequest('roots/list', async () => ({ roots }));
}

/** A form whose schema cannot be filled in is declined. */
function filledIn(params: unknown): Record<string, unknown> {
  const schema = isRecord(params) ? params.requestedSchema : undefined;
  if (!isRecord(schema)) return { action: 'decline' };
  try {
    return { action: 'accept', content: new ValueSampler(schema, seededRandom(seed)).sample(schema, 'full') };
  } catch (error) {
    if (error instanceof NoSample) return { action: 'decline' };
    throw error;
  }
}

/** A request that was open while the server sent a request to its client. */
export interface Suspect {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * Opens a session of a client that offers nothing, and repeats the requests during which the server sent one to its
 * client. Returns the method of the first request that it sends all the same.
 */
export async function requestWithoutOffer(
  { open, timeoutMs, signal }: ServerAccess,
  suspects: readonly Suspect[],
): Promise<string | undefined> {
  let method: string | undefined;
  // A server that was refused may wait for ever.
  const enough = new AbortController();
  const limits = { timeoutMs, signal: signal ? AbortSignal.any([signal, enough.signal]) : enough.signal };
  try {
    await using session = await open({
      takesRefused: true,
      onFrame: (direction, message) => {
        if (direction === 'to-server' || !isRecord(message) || message.id === undefined) return;
        if (typeof message.method !== 'string' || !Object.hasOwn(inputCapabilities, message.method)) return;
        method ??= message.method;
        enough.abort();
      },
    });
    for (const suspect of suspects)
      if (method === undefined) await session.request(suspect.method, suspect.params, limits);
  } catch (error) {
    // A server that fails without the offer is found by its requests until then.
    if (signal?.aborted) throw error;
  }
  return method;
}
