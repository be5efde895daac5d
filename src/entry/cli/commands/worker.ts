import { counted } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { hiddenOption, integerOption, listOption, numberOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { storeOption } from '../project-store.ts';

interface WorkerOptions {
  readonly concurrency?: number;
  readonly tags?: string[];
  readonly agents?: string[];
  readonly drainSecs: number;
  readonly leaseSecs: number;
  readonly folder?: string;
  readonly once?: boolean;
  readonly protocol?: number;
  readonly store?: string;
  readonly quiet?: boolean;
}

/** `assay queue worker`: runs trials of distributed runs on this machine until it is stopped. */
export const worker: CliCommand = {
  configure(command) {
    command
      .option('--concurrency <n>', 'trials to run at the same time', integerOption(1, 1_000), 4)
      .option('--tags <tags>', 'tags of this machine, such as gpu,linux', listOption)
      .option('--agents <names>', 'agents to offer (default: the installed ones)', listOption)
      .option(
        '--drain-secs <n>',
        'seconds that running trials may continue after a stop signal',
        numberOption(0, 86_400),
        60,
      )
      .option(
        '--lease-secs <n>',
        'seconds without a heartbeat after which the worker loses its trials',
        numberOption(0.3, 3_600),
        30,
      )
      .option('--folder <dir>', 'folder for unpacked projects (default: a cache folder)', textOption)
      .option('--once', 'exit when the queue is empty')
      .addOption(hiddenOption('--protocol <n>', 'protocol version to claim', integerOption(0)))
      .option(...storeOption)
      .option('-q, --quiet', 'print errors only')
      .addHelpText('after', examples);
  },
  async run({ options: given, context }) {
    const options = given as unknown as WorkerOptions;
    const { sharedStoreUrl } = await import('../project-store.ts');
    const storeUrl = await sharedStoreUrl(context, options.store);
    const say = (message: string): void => {
      context.stderr.write(`  ${new Date().toISOString().slice(11, 19)}  ${message}\n`);
    };
    const sayUnlessQuiet = options.quiet ? () => undefined : say;
    using interrupt = new Interrupt(() =>
      sayUnlessQuiet('Stopping: no new trials are taken. Send the signal again to stop at once.'),
    );
    const { work } = await import('../../../compose/distributed/worker.ts');
    let count = 0;
    await work({
      storeUrl,
      cwd: context.cwd,
      env: context.env,
      concurrency: options.concurrency ?? 4,
      tags: options.tags ?? [],
      agents: options.agents,
      folder: options.folder,
      leaseMs: options.leaseSecs * 1_000,
      drainMs: options.drainSecs * 1_000,
      isOnce: options.once === true,
      protocol: options.protocol,
      signal: interrupt.signal,
      log: say,
      started: ({ workerId, concurrency, tags, agents }) =>
        sayUnlessQuiet(
          `${workerId} works: ${concurrency} trials at a time${listed('tags', tags)}${listed('agents', agents)}`,
        ),
      stored: () => {
        count++;
      },
    });
    if (!options.quiet) await write(context.stderr, `  Ended after ${counted(count, 'trial')}.\n`);
    return 0;
  },
};

const examples = `
Examples:
  ASSAY_STORE=postgres://assay@db/assay assay queue worker
  assay queue worker --concurrency 8 --tags gpu,linux --agents claude-code,codex
  assay queue worker --once          # for a job that ends when the queue is empty

SIGTERM lets running trials finish for --drain-secs and gives the others back.
`;

function listed(name: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `; ${name}: ${items.join(', ')}`;
}
