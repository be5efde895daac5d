import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { dirname, join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { programFile } from '../../compose/program.ts';
import { guarded, withoutSlowHeaders } from '../../shared/http/guarded-server.ts';
import { OtlpRefusal } from '../collect/otlp-refusal.ts';
import { feedbackPath, feedbackReceiver } from '../collect/receive-feedback.ts';
import { projectIn, signalPath, traceReceiver } from '../collect/receive-traces.ts';
import { IssuedTokens } from './access/issued-tokens.ts';
import { senderCheck } from './access/sender-token.ts';
import { allowedHosts, listen, reachableHosts } from './listen.ts';
import { Refusal } from './refusal.ts';
import { WebFiles } from './web-files.ts';
import { Workspace, type WorkspaceOptions } from './workspace.ts';

export interface ServeOptions extends WorkspaceOptions {
  readonly host: string;
  readonly port: number;
  /** Takes the next free port where the one that is named is taken. */
  readonly mayMovePort: boolean;
  /** Further values of `Host` to answer to, such as the name of a proxy. */
  readonly allowHosts?: readonly string[] | undefined;
  /** The user's token; a random one by default. */
  readonly token?: string | undefined;
  /** A token that gives nothing but the right to send traces. */
  readonly collectToken?: string | undefined;
  /** Connections whose headers are not complete by then are closed. */
  readonly headersTimeoutMs?: number | undefined;
}

/** A server that answers; disposing of it interrupts its runs, stores them and closes it. */
export interface RunningServer extends AsyncDisposable {
  /** With the token, which gives access. */
  readonly url: string;
  /** The same under each address of this machine that it listens on; `url` is the first. */
  readonly urls: readonly string[];
  readonly token: string;
  readonly port: number;
}

/** Serves the project of a folder, or all projects below it. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { host, token = randomBytes(32).toString('base64url') } = options;
  const issued = new IssuedTokens(options.folder);
  issued.list();
  const workspace = await Workspace.open(options);
  const server = createServer(withoutSlowHeaders(options.headersTimeoutMs));
  const port = await listen(server, options).catch(async (error) => {
    await workspace[Symbol.asyncDispose]();
    throw error;
  });
  const hosts = allowedHosts(host, port, options.allowHosts);
  const settings = { token, issued, hosts, cookieName: `assay-${port}` };
  const app = workspace.app(settings, new WebFiles(pagesFolder()));
  const answer = getRequestListener(app.fetch);
  const receiverOf = receiversOf(workspace, options.warn, { sending: options.collectToken, own: token, issued });
  server.on('request', (request, response) => {
    const receive = receiverOf(request.url ?? '');
    if (receive) guarded(receive, () => hosts)(request, response);
    else void answer(request, response);
  });
  const [url, ...others] = reachableHosts(host).map(
    (name) => `http://${name}:${port}/?token=${encodeURIComponent(token)}`,
  );
  return {
    url: url ?? '',
    urls: [url ?? '', ...others],
    token,
    port,
    async [Symbol.asyncDispose]() {
      await closed(server);
      await workspace[Symbol.asyncDispose]();
    },
  };
}

/** Receivers by the path of traces, logs and labels: of the project that it names, or of the first one. */
function receiversOf(
  workspace: Workspace,
  warn: ServeOptions['warn'],
  tokens: Parameters<typeof senderCheck>[0],
): (path: string) => ReturnType<typeof traceReceiver> | undefined {
  const options = {
    authorise: senderCheck(tokens),
    warn,
    collectorOf({ url = '' }: IncomingMessage) {
      const id = projectIn(url);
      return workspace.collector(id === undefined ? undefined : decodeURIComponent(id)).catch((error) => {
        throw error instanceof Refusal ? new OtlpRefusal(error.status, error.message) : error;
      });
    },
  };
  const [receive, label] = [traceReceiver(options), feedbackReceiver(options)];
  return (path) => (signalPath.test(path) ? receive : feedbackPath.test(path) ? label : undefined);
}

/** Where the build leaves the pages. */
function pagesFolder(): string {
  return join(dirname(programFile()), '..', 'dist', 'web');
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
