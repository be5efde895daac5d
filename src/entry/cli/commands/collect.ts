import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { Collector, type CollectorCounts } from '../../../compose/collect/collector.ts';
import { openProject } from '../../../compose/config/project.ts';
import { counted } from '../../../shared/format.ts';
import { guarded, type RequestHandler, withoutSlowHeaders } from '../../../shared/http/guarded-server.ts';
import { feedbackPath, feedbackReceiver } from '../../collect/receive-feedback.ts';
import { signalPath, traceReceiver } from '../../collect/receive-traces.ts';
import { IssuedTokens } from '../../server/access/issued-tokens.ts';
import { senderCheck } from '../../server/access/sender-token.ts';
import { allowedHosts, listen, urlHost } from '../../server/listen.ts';
import type { CliCommand, Invocation } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { collectTokenFor } from '../options/serve-token.ts';
import { integerOption, listOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { openStoreForRun, storeOption } from '../project-store.ts';

interface CollectFlags {
  readonly port?: number;
  readonly host?: string;
  readonly allowHost?: readonly string[] | undefined;
  readonly store?: string;
  readonly json?: boolean;
}

/** The port of OTLP over HTTP, which exporters use by default. */
const usualPort = 4318;

/** `assay collect`: receives traces over OTLP until it is interrupted. */
export const collect: CliCommand = {
  configure(command) {
    command
      .option('-p, --port <n>', 'port (default: 4318, where exporters send to)', integerOption(0, 65_535))
      .option(
        '--host <address>',
        'address to listen on; addresses other machines can reach need ASSAY_COLLECT_TOKEN',
        textOption,
      )
      .option('--allow-host <names>', 'accept these `Host` values too, such as a proxy in front', listOption)
      .option(...storeOption)
      .option('--json', 'print JSON: url, token and pid when it is ready, counts at the end')
      .addHelpText('after', helpText);
  },
  run: collectTraces,
};

const helpText = `
Accepts OTLP over HTTP (protobuf or JSON, gzip or not) at /v1/traces, and events of agents at /v1/logs. A trace
that is complete becomes a trial of the run of its day. \`collect\` in the config sets windows, sampling, limits and
retention. Ctrl-C stops it with exit code 0.

Environment:
  ASSAY_COLLECT_TOKEN   token of the senders, at least 24 characters; by default a new one at each start
`;

async function collectTraces({ options: given, context }: Invocation): Promise<number> {
  const { port = usualPort, host = '127.0.0.1', allowHost, store: storeUrl, json } = given as CollectFlags;
  const token = collectTokenFor(host, context) ?? randomBytes(32).toString('base64url');
  const project = await openProject(context.cwd, context.env);
  const warn = (message: string) => void context.stderr.write(`${message}\n`);
  using interrupt = new Interrupt(() => undefined);
  await using store = await openStoreForRun(context, storeUrl, project);
  let opened: Collector;
  {
    await using collector = await Collector.open({ project, env: context.env, store, warn });
    opened = collector;
    const authorise = senderCheck({ own: token, issued: new IssuedTokens(project.folder) });
    const options = { collectorOf: async () => collector, authorise, warn };
    const [receive, label] = [traceReceiver(options), feedbackReceiver(options)];
    await using server = await listening({ host, port, allowHost }, (request, response) => {
      const { url: path = '' } = request;
      if (signalPath.test(path)) void receive(request, response);
      else if (feedbackPath.test(path)) void label(request, response);
      else notFound(response);
    });
    const url = `http://${urlHost(host)}:${server.port}`;
    await write(context.stdout, json ? `${JSON.stringify({ url, token, pid: process.pid })}\n` : `${url}\n`);
    if (!json) await write(context.stderr, settingsText(url, token));
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
  }
  await printCounts(opened.counts, context, json === true);
  return 0;
}

function notFound(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'application/json' });
  const message = 'Traces are accepted at /v1/traces, events of agents at /v1/logs, and labels at /v1/feedback.';
  response.end(JSON.stringify({ code: 5, message }));
}

/** A server that ends its connections when it is disposed of; requests that were being stored are answered before. */
async function listening(
  { host, port, allowHost }: { readonly host: string; readonly port: number } & Pick<CollectFlags, 'allowHost'>,
  handle: RequestHandler,
): Promise<AsyncDisposable & { readonly port: number }> {
  const server = createServer(withoutSlowHeaders());
  const opened = await listen(server, { host, port, mayMovePort: false });
  const hosts = allowedHosts(host, opened, allowHost);
  server.on(
    'request',
    guarded(handle, () => hosts),
  );
  return {
    port: opened,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const impatience = setTimeout(() => server.closeAllConnections(), 2_000);
      await closed;
      clearTimeout(impatience);
    },
  };
}

function settingsText(url: string, token: string): string {
  return `
  Assay collects traces. Set these for the program that sends them. Ctrl-C stops it.

  OTEL_EXPORTER_OTLP_ENDPOINT=${url}
  OTEL_EXPORTER_OTLP_HEADERS=authorization=Bearer%20${token}

`;
}

async function printCounts(counts: CollectorCounts, { stdout, stderr }: CliContext, json: boolean): Promise<void> {
  if (json) {
    await write(stdout, `${JSON.stringify({ schema: 'assay.collect/1', ...counts })}\n`);
    return;
  }
  const { spans, duplicates, late, refused, trials, dropped, judged } = counts;
  const parts = [
    `${counted(spans, 'span')} accepted`,
    `${duplicates} duplicates`,
    `${late} late`,
    `${refused} refused`,
    `${counted(trials, 'trial')} stored`,
    `${counted(dropped, 'trace')} dropped`,
    ...(judged > 0 ? [`${judged} judged by rules`] : []),
  ];
  await write(stderr, `  ${parts.join(', ')}\n`);
}
