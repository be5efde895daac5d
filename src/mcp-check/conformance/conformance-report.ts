import { type CheckProblem, problemOf, type RuleText } from '../rule.ts';

/** What the official conformance suite said, or why it was not asked. */
export type ConformanceReport =
  | { readonly state: 'left-out'; readonly reason: string }
  | {
      readonly state: 'ran';
      readonly scenarios: readonly ConformanceScenario[];
      /** Why not all scenarios of the suite were run. */
      readonly reason: string;
    };

export interface ConformanceScenario {
  readonly name: string;
  readonly state: 'pass' | 'warning' | 'fail' | 'error';
  /** What did not pass, in the words of the suite. */
  readonly messages: readonly string[];
}

/** What the suite can find. */
export const conformanceRules = {
  failed: {
    id: 'conformance-failed',
    severity: 'error',
    summary: 'The server breaks the specification of the protocol',
    why: 'Clients rely on what the specification says.',
    fix: 'Read the scenario in the official suite, @modelcontextprotocol/conformance.',
  },
  warned: {
    id: 'conformance-warning',
    severity: 'warning',
    summary: 'The server does not do what the specification recommends',
    why: 'Some clients rely on it.',
    fix: 'Read the scenario in the official suite, @modelcontextprotocol/conformance.',
  },
} as const satisfies Record<string, RuleText>;

/** What did not pass, as problems; a scenario that could not be run says nothing about the server. */
export function problemsOfConformance(report: ConformanceReport | null): CheckProblem[] {
  if (report?.state !== 'ran') return [];
  return report.scenarios.flatMap(({ name, state, messages }) => {
    if (state !== 'fail' && state !== 'warning') return [];
    const rule = state === 'fail' ? conformanceRules.failed : conformanceRules.warned;
    return [problemOf(rule, { message: `${name}: ${messages.join(' ')}` })];
  });
}
