import { setTimeout as sleep } from 'node:timers/promises';
import { openProject } from '../../compose/config/project.ts';
import { DriftWatch, type RuleDrift } from '../../compose/drift/watch-drift.ts';
import { AssayError } from '../../domain/errors.ts';
import { driftText } from '../../report/compare/drift.ts';
import { counted } from '../../shared/format.ts';
import type { Invocation } from './command.ts';
import { type CliContext, write } from './context.ts';
import { Interrupt } from './process.ts';
import { openProjectStore } from './project-store.ts';

const pollMs = 10_000;

/** `assay queue watch --rules`: looks at the runs of rules until figures drift. */
export async function watchRules(options: Invocation['options'], context: CliContext): Promise<number> {
  const project = await openProject(context.cwd, context.env);
  const { rules } = project.config;
  if (!Object.values(rules).some(({ drift }) => drift !== undefined)) {
    throw new AssayError('USAGE', 'No rule in the config watches for drift.', {
      hint: 'Add `drift: {}` to a rule of `rules`.',
    });
  }
  await using store = await openProjectStore(context, options.store as string | undefined, project);
  using interrupt = new Interrupt(() => undefined);
  const watch = new DriftWatch(store);
  for (;;) {
    const found = await watch.look(rules, Date.now());
    const isDrift = found.some(({ state }) => state === 'drift');
    if (isDrift || options.once || interrupt.signal.aborted) {
      const texts = found.map((drift) => ruleText(drift, rules[drift.rule]?.runs));
      await write(context.stdout, options.json ? documentOf(found) : texts.join(''));
      return interrupt.signal.aborted && !isDrift ? 130 : exitCodeOf(found);
    }
    await sleep(pollMs, undefined, { signal: interrupt.signal }).catch(() => undefined);
  }
}

/** A rule that cannot be judged yet is not a rule without drift. */
function exitCodeOf(found: readonly RuleDrift[]): number {
  if (found.some(({ state }) => state === 'drift')) return 1;
  return found.some(({ state }) => state === 'not-enough-data') ? 3 : 0;
}

function documentOf(rules: readonly RuleDrift[]): string {
  return `${JSON.stringify({ schema: 'assay.drift/1', rules }, null, 2)}\n`;
}

function ruleText({ rule, state, figures, looks, reference }: RuleDrift, period = 'period'): string {
  const mark = { drift: '✗', 'no-drift': '✓', 'not-enough-data': '!' }[state];
  const lines = figures.map((figure) => `      ${driftText(figure)}\n`);
  const later =
    looks === 0
      ? `no ${period} after the reference is over yet`
      : `${counted(looks, period)} compared with the reference`;
  const compared = reference === null ? 'the reference is not complete yet' : later;
  return `  ${mark} ${rule}: ${compared}\n${lines.join('')}`;
}
