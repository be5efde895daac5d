import { basename } from 'node:path';
import { Option } from 'commander';
import type { Project } from '../../../compose/config/project.ts';
import { openProject } from '../../../compose/config/project.ts';
import type { ExportReport } from '../../../compose/export/export-counts.ts';
import { exportRuns, type Receiver } from '../../../compose/export/export-runs.ts';
import { otlpDestination } from '../../../compose/export/otlp-destination.ts';
import { otlpReceiver } from '../../../compose/export/otlp-receiver.ts';
import { services } from '../../../compose/export/publish/index.ts';
import { publishingReceiver } from '../../../compose/export/publish/publishing-receiver.ts';
import { AssayError } from '../../../domain/errors.ts';
import { requireRun } from '../../../keep/store/store.ts';
import { TimeLimit } from '../../../shared/async.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { numberOption, textOption } from '../options/values.ts';
import { Interrupt } from '../process.ts';
import { openProjectStore, storeOption } from '../project-store.ts';

interface ExportFlags {
  readonly otlp?: string;
  readonly to?: string;
  readonly dataset?: string;
  readonly again?: boolean;
  readonly timeoutSecs: number;
  readonly store?: string;
  readonly json?: boolean;
}

/** `assay export`: sends stored runs to a receiver of OpenTelemetry, or to a service as experiments. */
export const exportCommand: CliCommand = {
  configure(command) {
    command
      .argument('[runs...]', 'run ids, beginnings of them, or `latest`; by default only the runs that wait')
      .option('--otlp <url>', 'URL of the OTLP receiver (default: `export.otlp`, then the variables below)', textOption)
      .addOption(
        new Option('--to <service>', 'publish runs as experiments with their dataset').choices(
          services.map(({ name }) => name),
        ),
      )
      .option('--dataset <name>', 'with --to: name of the dataset there (default: the name of the folder)', textOption)
      .option('--again', 'send also what the receiver took before')
      .option('--timeout-secs <n>', 'most seconds to keep trying', numberOption(0.001, 86_400), 60)
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText('after', helpText);
  },
  async run({ args, options, context }) {
    const { again, timeoutSecs, store: storeUrl, json, ...where } = options as unknown as ExportFlags;
    const { env } = context;
    const project = await openProject(context.cwd, env);
    const receiver = receiverOf(where, project, env);
    await using store = await openProjectStore(context, storeUrl, project);
    const runs = [];
    for (const name of args) runs.push(await requireRun(store, name));
    using interrupt = new Interrupt(() => undefined);
    using limit = new TimeLimit(timeoutSecs * 1_000, interrupt.signal);
    const report = await exportRuns(runs, {
      ...{ project, env, store, receiver, sendsAgain: again },
      signal: limit.signal,
    });
    for (const failure of report.failures) await write(context.stderr, `  ${receiver.host}: ${failure}\n`);
    const document = { schema: 'assay.export/1', receiver: receiver.host, ...report };
    await write(context.stdout, json ? `${JSON.stringify(document, null, 2)}\n` : reportText(report, receiver.host));
    if (interrupt.signal.aborted) return 130;
    return report.failures.length > 0 || report.waiting.length > 0 ? 3 : 0;
  },
};

/** The one place that the options name. */
function receiverOf(
  { otlp, to, dataset }: Pick<ExportFlags, 'otlp' | 'to' | 'dataset'>,
  project: Project,
  env: Readonly<Record<string, string | undefined>>,
): Receiver {
  const service = services.find(({ name }) => name === to);
  if (service && otlp !== undefined) throw new AssayError('USAGE', 'Give one of --to and --otlp.');
  if (!service && dataset !== undefined) throw new AssayError('USAGE', '--dataset needs --to.');
  if (!service) return otlpReceiver(otlpDestination(otlp, project.config.export, env));
  return publishingReceiver(service, { project, env, name: dataset ?? basename(project.folder) });
}

const helpText = `
Sends traces to /v1/traces and evaluation results (\`gen_ai.evaluation.result\`) to /v1/logs; a receiver without log
records gets them as events of the spans. What the receiver does not take now waits in .assay/export.db, and is sent with
the next \`assay export\`, or after the next run if the config has \`export\`.

With --to, cases become items of a dataset, and each variant of a run an experiment with outputs, scores and traces.

Environment:
${services.map(({ name, variables }) => `  ${name}: ${variables}`).join('\n')}
  OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_PROTOCOL (http/protobuf or http/json),
  OTEL_EXPORTER_OTLP_COMPRESSION, OTEL_EXPORTER_OTLP_TIMEOUT, and the same with TRACES_ or LOGS_
`;

function reportText(report: ExportReport, host: string): string {
  const { sent, sentBefore, pending, refused, rejected, waiting } = report;
  const parts = [
    `${counted(sent, 'trial')} sent to ${host}`,
    ...(sentBefore > 0 ? [`${sentBefore} sent before`] : []),
    ...(pending > 0 ? [`${pending} without a verdict yet`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(rejected > 0 ? [`${rejected} spans or log records rejected`] : []),
    ...(waiting.length > 0 ? [`${counted(waiting.length, 'run')} waiting`] : []),
  ];
  return `  ${parts.join(', ')}\n`;
}
