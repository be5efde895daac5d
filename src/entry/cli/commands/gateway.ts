import { once } from 'node:events';
import { resolve } from 'node:path';
import { openProject } from '../../../compose/config/project.ts';
import { projectRedaction } from '../../../compose/run/redaction.ts';
import { AssayError } from '../../../domain/errors.ts';
import { modelApiSchema } from '../../../domain/trace.ts';
import type { CallLog } from '../../../drive/gateway/call-log.ts';
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
    await using opened = await openGateway({
      upstream: new ProviderUpstream(context.env),
      port: options.port as number | undefined,
    });
    await using log: CallLog = await CallLog.open(folder, (line) => void context.stderr.write(`${line}\n`));
    const session = opened.openSession({
      emit: log.emit,
      redact: projectRedaction(await openProject(context.cwd, context.env), context.env),
      folder,
      limits: { costOf: await prices(context) },
      task: '',
      // The program is the user's own, and may be many agents.
      mostOpen: 1_000,
      onLimit: () => undefined,
    });
    const lines = routes.flatMap(({ target, urlVariable, keyVariable }) => {
      const { url, placeholders } = session.addRoute(target);
      const key = target.keys.length === 0 ? [] : [`${keyVariable}=${placeholders[0]}`];
      return [`${urlVariable}=${url}`, ...key];
    });
    const keys = 'keys of this environment are added to requests with their placeholders; other keys are passed on';
    await write(context.stderr, `Point your program at the gateway (${keys}):\n`);
    await write(context.stdout, `${lines.join('\n')}\n`);
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    await session.conclude();
    return 0;
  },
};

const helpText = `
Prints the variables for your program when it is ready, and logs each call in one line. Ctrl-C stops it with exit code 0.

Examples:
  assay gateway --record calls
  assay gateway --upstream http://127.0.0.1:11434/v1 --api openai-chat --port 8090
`;

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
