import { once } from 'node:events';
import { resolve } from 'node:path';
import { openProject } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/config/redaction.ts';
import { AssayError } from '../../../domain/errors.ts';
import { modelApiSchema } from '../../../domain/trace-schema.ts';
import type { CallLog } from '../../../drive/gateway/call-log.ts';
import type { GatewayAddress } from '../../../drive/gateway/open-gateway.ts';
import type { ProgramRoute } from '../../../drive/gateway/program-routes.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';
import { integerOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';

/** `assay gateway`: the recording proxy of trials for any program. */
export const gateway: CliCommand = {
  configure(command) {
    command
      .option('--port <n>', 'port on the loopback address (default: a free one)', integerOption(0, 65_535))
      .option('--upstream <url>', 'base URL of the provider (default: the own address of each provider)')
      .option('--api <name>', `API of --upstream: ${modelApiSchema.options.join(', ')}`)
      .option('--record <folder>', 'write every call to this folder: `calls.jsonl` and the bodies')
      .addHelpText('after', helpText);
  },
  async run({ options, context }) {
    const { openGateway } = await import('../../../drive/gateway/open-gateway.ts');
    const { ProviderUpstream } = await import('../../../drive/gateway/upstream.ts');
    const { CallLog } = await import('../../../drive/gateway/call-log.ts');
    const { programRoutes } = await import('../../../drive/gateway/program-routes.ts');
    const routes = programRoutes(apiOf(options.api), options.upstream as string | undefined, context.env);
    const folder = options.record === undefined ? undefined : resolve(context.cwd, String(options.record));
    using interrupt = new Interrupt(() => undefined);
    await using server = await openGateway({
      upstream: new ProviderUpstream(context.env),
      port: options.port as number | undefined,
    });
    const redact = projectRedaction(await openProject(context.cwd, context.env), context.env);
    using log: CallLog = CallLog.open(folder, redact, (line) => void context.stderr.write(`${line}\n`));
    const session = server.openSession({
      emit: log.emit,
      redact,
      folder,
      limits: { costOf: await prices(context) },
      task: '',
      // The program is the user's own, and may be many agents.
      mostOpen: 1_000,
      onLimit: () => undefined,
    });
    const opened = routes.map(({ target, ...variables }) => ({ ...variables, target, ...session.addRoute(target) }));
    if (options.upstream !== undefined && options.api === undefined) await write(context.stderr, assumedApi);
    await write(context.stderr, settingsText(opened));
    await write(context.stdout, opened.map(({ url }) => `${url}\n`).join(''));
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    await session.conclude();
    return 0;
  },
};

const helpText = `
Prints its addresses to stdout when it is ready, and the variables for your program and one line for each call to
stderr. Ctrl-C stops it with exit code 0.

Examples:
  assay gateway --record calls
  assay gateway --upstream http://127.0.0.1:11434/v1 --api openai-chat --port 8090
`;

const assumedApi =
  'warning: --upstream without --api is taken for an OpenAI API.\n  For another provider, use --api anthropic-messages or --api gemini.\n';

interface OpenedRoute extends ProgramRoute, GatewayAddress {}

function settingsText(opened: readonly OpenedRoute[]): string {
  const lines = opened.flatMap(({ target, urlVariable, keyVariable, url, placeholders }) => [
    `  ${urlVariable}=${url}\n`,
    ...(target.keys.length === 0 ? [] : [`  ${keyVariable}=${placeholders[0]}\n`]),
  ]);
  const keys = 'a placeholder stands for each key of this environment; other keys are passed on';
  return `Point your program at the gateway (${keys}):\n${lines.join('')}`;
}

function apiOf(written: unknown) {
  if (written === undefined) return undefined;
  const { data } = modelApiSchema.safeParse(written);
  if (data) return data;
  const message = `--api must be one of ${modelApiSchema.options.join(', ')}, not "${written}".`;
  throw new AssayError('USAGE', message);
}

async function prices({ cwd, env }: CliContext) {
  const { openPriceList } = await import('../../../drive/models/prices.ts');
  return openPriceList((await openProject(cwd, env)).config.models);
}
