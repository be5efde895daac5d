import type { ServerResponse } from 'node:http';
import * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { loopbackServer } from '../../../shared/http/guarded-server.ts';
import { closeServer, listenOnLoopback } from '../../loopback-server.ts';
import { sendJson } from './answer.ts';
import { dialects } from './dialects.ts';
import type { LoggedRequest } from './request-log.ts';
import { type Script, type ScriptSource, scriptSchema } from './script.ts';
import { ScriptedProvider } from './scripted-provider.ts';

export interface ScriptedModelOptions {
  /** A free one unless given. */
  readonly port?: number | undefined;
  /** Called with every request, as soon as it is known what becomes of it. */
  readonly onRequest?: ((request: LoggedRequest) => void) | undefined;
}

/** A running server that answers as its script says; disposing of it closes every connection. */
export interface ScriptedModel extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  /** The environment variables that send clients here. */
  readonly environment: Readonly<Record<string, string>>;
  /** The last 10,000 requests, the oldest first. */
  log(): readonly LoggedRequest[];
  /** Forgets the requests and the uses of rules. */
  reset(): void;
}

/** Longer than clients keep idle connections, so none is closed while a request is on its way. */
const keepAliveTimeoutMs = 600_000;

/** Starts a model server on the loopback address that answers as a script says. */
export async function startScriptedModel(
  source: ScriptSource,
  { port = 0, onRequest = () => undefined }: ScriptedModelOptions = {},
): Promise<ScriptedModel> {
  const provider = new ScriptedProvider(checked(source), onRequest);
  const server = loopbackServer(
    (request, response) => void provider.handle(request, response).catch((error: unknown) => fail(response, error)),
    { keepAliveTimeout: keepAliveTimeoutMs },
  );
  const url = await listenOnLoopback(server, port);
  return {
    url,
    environment: Object.assign({}, ...dialects.map((dialect) => dialect.environment(url))) as Record<string, string>,
    log: () => provider.log(),
    reset: () => provider.reset(),
    async [Symbol.asyncDispose]() {
      await closeServer(server);
    },
  };
}

function checked(source: ScriptSource): Script {
  const parsed = scriptSchema.safeParse(source);
  if (parsed.success) return parsed.data;
  throw new AssayError('FILE_INVALID', `The script cannot be used:\n${z.prettifyError(parsed.error)}`);
}

/** A client that went away gets no answer; any other error must not look like a fault of the script. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.closed) response.destroy();
  else sendJson(response, 500, { error: { message: `A defect of the scripted model: ${String(error)}` } });
}
