import type { ApprovalFacts } from '../../../domain/approval-facts.ts';
import { onlyInput } from '../../../domain/only-case.ts';
import type { TrialRecord } from '../../../domain/record.ts';
import { eachTrial } from '../../../keep/store/store.ts';
import { titlesInList } from '../../../report/presentation/trial-text.ts';
import type { StoredRun } from '../../../report/reporters/reporter.ts';
import { type Section, table, text } from '../../../shared/blocks/block.ts';
import { counted } from '../../../shared/format.ts';

type Answer = ApprovalFacts['answers'][number]['answer'];

interface Tally {
  readonly trial: Parameters<typeof titlesInList>[0][number];
  trials: number;
  /** Trials in which nothing was requested. */
  quiet: number;
  readonly tools: Map<string, Record<Answer, number>>;
  /** How often each rule of the policy answered, by its place. */
  readonly rules: Map<string, number>;
}

/** Requests and answers by scenario, variant and tool; rules that never answered are named. */
export async function approvalSections({ store, summary }: StoredRun): Promise<Section[]> {
  const tallies = new Map<string, Tally>();
  for await (const record of eachTrial(store, summary.run.runId)) {
    if (record.approvals) count(record, record.approvals, tallies);
  }
  const listed = [...tallies.values()];
  if (listed.length === 0) return [];
  const titles = titlesInList(listed.map(({ trial }) => trial));
  const rows = listed.flatMap(({ tools }, index) =>
    [...tools].map(([tool, { allow, deny, none }]) => [
      titles[index] ?? '',
      tool,
      String(allow),
      String(deny),
      String(none),
    ]),
  );
  const notes = listed.flatMap((tally, index) => unusedText(titles[index] ?? '', tally));
  const requests = table(['scenario', 'tool', '#allowed', '#denied', '#not answered'], rows);
  return [{ title: 'Approvals', blocks: [...(rows.length > 0 ? [requests] : []), ...notes.map((note) => text(note))] }];
}

function count(record: TrialRecord, { rules, answers }: ApprovalFacts, tallies: Map<string, Tally>): void {
  const { scenario, file, variant } = record;
  const key = JSON.stringify([scenario, file, variant]);
  const trial = { scenario, variant, caseId: onlyInput, repeat: 1 };
  const tally = tallies.get(key) ?? { trial, trials: 0, quiet: 0, tools: new Map(), rules: new Map() };
  tallies.set(key, tally);
  tally.trials++;
  if (answers.length === 0) tally.quiet++;
  for (const rule of rules) tally.rules.set(rule, tally.rules.get(rule) ?? 0);
  for (const { tool, answer, rule, times } of answers) {
    const counts = tally.tools.get(tool) ?? { allow: 0, deny: 0, none: 0 };
    tally.tools.set(tool, { ...counts, [answer]: counts[answer] + times });
    if (rule !== null) tally.rules.set(rule, (tally.rules.get(rule) ?? 0) + times);
  }
}

function unusedText(title: string, { trials, quiet, rules }: Tally): string[] {
  if (quiet === trials)
    return [`${title}: the agent requested no approval in ${counted(trials, 'trial')}, so the policy was not tried.`];
  const unused = [...rules].filter(([, times]) => times === 0).map(([rule]) => rule);
  return unused.length === 0 ? [] : [`${title}: these rules never answered: ${unused.join(', ')}.`];
}
