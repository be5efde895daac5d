import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { eachTrial, requireRun, type Store } from '../../keep/store/store.ts';
import { parseJsonSource } from '../../load/sources/json-source.ts';
import { problemsOf } from '../../load/sources/schema-problems.ts';
import { type CalibrationLabel, calibrationLabelSchema } from '../../score/judge/calibration.ts';
import { groupedBy } from '../../shared/grouped-by.ts';
import { isRecord } from '../../shared/json.ts';
import { lazySchema } from '../../shared/lazy-schema.ts';

/** Opinion of a person on a case: it holds for each trial of the case in a run, so the labels serve for any run. */
const caseLabelSchema = lazySchema(() =>
  calibrationLabelSchema.omit({ trialId: true }).safeExtend({
    case: z.string().min(1),
    scenario: z.string().min(1).optional().describe('needed where several scenarios have a case of this id'),
  }),
);
type CaseLabel = z.infer<typeof caseLabelSchema>;
type WrittenLabel = CalibrationLabel | CaseLabel;

/** The labels in a file of JSON Lines that were given without seeing the verdict. */
export function readLabels(file: string, text: string): WrittenLabel[] {
  const labels = text.split('\n').flatMap((line, index): WrittenLabel[] => {
    if (line.trim() === '') return [];
    const source = parseJsonSource(file, line, index + 1);
    const schema = isRecord(source.value) && 'case' in source.value ? caseLabelSchema : calibrationLabelSchema;
    const parsed = schema.safeParse(source.value);
    if (!parsed.success) throw new ProblemsError(problemsOf(parsed.error, source, schema));
    return parsed.data.sawVerdict ? [] : [parsed.data];
  });
  if (labels.length > 0) return labels;
  throw new AssayError('FILE_INVALID', `${file} has no labels that were given without seeing the verdict.`, {
    hint: 'Write one line per trial: {"trialId": "…", "label": "pass"}',
  });
}

/** The same as labels of trials: those of a case belong to its trials in the run. */
export async function labelsOfTrials(
  labels: readonly WrittenLabel[],
  store: Store,
  run: string,
): Promise<CalibrationLabel[]> {
  const ofTrials = labels.filter((label): label is CalibrationLabel => 'trialId' in label);
  const ofCases = labels.filter((label): label is CaseLabel => 'case' in label);
  if (ofCases.length === 0) return ofTrials;
  const { runId } = await requireRun(store, run);
  const byCase = groupedBy(ofCases, (label) => label.case);
  const scenarioOf = new Map<CaseLabel, string>();
  for await (const { trialId, caseId, scenario } of eachTrial(store, runId)) {
    for (const label of byCase.get(caseId) ?? []) {
      const { case: _case, scenario: wanted = scenario, ...opinion } = label;
      if (wanted !== scenario) continue;
      if ((scenarioOf.get(label) ?? scenario) !== scenario) throw severalScenarios(caseId, runId);
      scenarioOf.set(label, scenario);
      ofTrials.push({ ...opinion, trialId });
    }
  }
  const unused = ofCases.find((label) => !scenarioOf.has(label));
  if (unused === undefined) return ofTrials;
  throw new AssayError('NOT_FOUND', `The run "${runId}" has no trial of the labelled case "${unused.case}".`, {
    hint: 'Name the run that has it with `--run`, and its scenario with "scenario" in the label.',
  });
}

function severalScenarios(caseId: string, runId: string): AssayError {
  return new AssayError('FILE_INVALID', `Several scenarios of the run "${runId}" have a case "${caseId}".`, {
    hint: 'Name the one that is labelled: {"case": "…", "scenario": "…", "label": "pass"}',
  });
}
