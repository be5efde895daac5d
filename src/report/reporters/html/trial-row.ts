import type { Outcome } from '../../../domain/outcome.ts';
import type { Variant } from '../../../domain/trial.ts';
import { trialTitle, variantText } from '../../presentation/trial-text.ts';
import { outcomes, type RowPage } from './page-data.ts';

interface TrialTokens {
  readonly input: number;
  readonly output: number;
}

/** One trial as the list shows, filters and counts it. */
export interface TrialRow {
  readonly ordinal: number;
  readonly trialId: string;
  readonly title: string;
  readonly scenario: string;
  readonly file: string;
  readonly caseId: string;
  readonly variant: Variant;
  /** Empty for a tool that is called directly. */
  readonly variantName: string;
  readonly repeat: number;
  readonly outcome: Outcome;
  readonly reason: string;
  readonly faultCode: string;
  readonly durationMs: number | null;
  readonly costUsd: number | null;
  /** Read and written; null where nobody reported them. */
  readonly tokens: TrialTokens | null;
  /** Taken over from an earlier run: not evidence. */
  readonly isReused: boolean;
  /** Everything that a search looks at, in lower case. */
  readonly searched: string;
}

/** The rows of a page with the names that they share filled in. */
export function unpackRows({ scenarios, variants, rows }: RowPage): TrialRow[] {
  const variantNames = variants.map(variantText);
  return rows.map((packed) => {
    const [ordinal, trialId, scenarioNumber, variantNumber, caseId, repeat, outcomeNumber, reason, faultCode] = packed;
    const [durationMs, costUsd, input, output, reused] = packed.slice(9) as (number | null)[];
    const [scenario, file] = scenarios[scenarioNumber] ?? ['', ''];
    const variant = variants[variantNumber] ?? {};
    const title = trialTitle({ scenario, caseId, variant, repeat });
    return {
      ordinal,
      trialId,
      title,
      scenario,
      file,
      caseId,
      variant,
      variantName: variantNames[variantNumber] ?? '',
      repeat,
      outcome: outcomes[outcomeNumber] ?? 'error',
      reason,
      faultCode,
      durationMs: durationMs ?? null,
      costUsd: costUsd ?? null,
      tokens: input == null || output == null ? null : { input, output },
      isReused: reused === 1,
      searched: `${title}\n${caseId}\n${reason}\n${faultCode}\n${trialId}\n${file}`.toLowerCase(),
    };
  });
}
