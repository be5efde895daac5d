import { createColors } from 'picocolors';
import type { SharedWork } from '../../../compose/distributed/describe-work.ts';
import { counted, formatDuration } from '../../../shared/format.ts';
import { printable } from '../../../shared/text.ts';
import type { CliCommand } from '../command.ts';
import { hasColor, write } from '../context.ts';
import { storeOption } from '../project-store.ts';

/** `assay queue list`: who runs trials, what they do, and what waits for whom. */
export const workers: CliCommand = {
  configure(command) {
    command
      .option(...storeOption)
      .option('--json', 'print one JSON document')
      .addHelpText('after', '\nExamples:\n  assay queue list\n  assay queue list --json\n');
  },
  async run({ options, context }) {
    const { sharedStoreUrl } = await import('../project-store.ts');
    const url = await sharedStoreUrl(context, options.store as string | undefined);
    const { describeWork } = await import('../../../compose/distributed/describe-work.ts');
    const work = await describeWork(url);
    const text = options.json
      ? `${JSON.stringify(work, null, 2)}\n`
      : workText(work, hasColor(context.stdout, context.env));
    await write(context.stdout, text);
    return 0;
  },
};

function workText({ workers: list, runs }: SharedWork, isColored: boolean): string {
  const colors = createColors(isColored);
  const lines: string[] = [];
  if (list.length === 0) lines.push('No workers. Start one with `assay queue worker`.');
  for (const { facts, state, running, notes, upMs, seenMsAgo, isLost } of list) {
    const load = `${running.length}/${facts.concurrency}`;
    const mark = isLost ? colors.red('✗') : state === 'stopping' ? colors.yellow('…') : colors.green('✓');
    const label = isLost ? 'lost' : state === 'stopping' ? 'ending' : 'working';
    const about = `${label} ${load}  version ${facts.version}  up ${formatDuration(upMs)}  last heartbeat ${formatDuration(seenMsAgo)} ago`;
    lines.push(`${mark} ${facts.workerId}  ${about}`);
    const has = [...facts.tags.map((tag) => `tag ${tag}`), ...facts.agents.map((agent) => `agent ${agent}`)];
    if (has.length > 0) lines.push(colors.dim(`    ${has.join(', ')}`));
    for (const trial of running) {
      const attempt = trial.attempt > 1 ? `, attempt ${trial.attempt}` : '';
      lines.push(
        `    ${printable(trial.scenario)} ${printable(trial.caseId)}  ${formatDuration(trial.forMs)}${attempt}`,
      );
    }
    for (const note of notes) lines.push(colors.yellow(`    not started: ${printable(note)}`));
  }
  for (const { runId, priority, waiting, running, done, unserved } of runs) {
    lines.push(
      `${runId}  ${counted(waiting, 'trial')} waiting, ${running} running, ${done} done${priority === 0 ? '' : `, priority ${priority}`}`,
    );
    for (const message of unserved) lines.push(colors.yellow(`    ${printable(message)}`));
  }
  return `${lines.map((line) => `  ${line}`).join('\n')}\n`;
}
