import { type CheckProblem, problemOf, ruleTexts } from '../definitions/rule.ts';

/** The result of the official conformance suite, or why it was not run. */
export type ConformanceReport =
  | { readonly state: 'left-out'; readonly reason: string }
  | {
      readonly state: 'ran';
      /** Version of the suite; null where it is not known. */
      readonly suite: string | null;
      readonly scenarios: readonly ConformanceScenario[];
      /** Why not all scenarios of the suite were run. */
      readonly reason: string;
    };

/** One scenario under one version of the specification. */
export interface ConformanceScenario {
  readonly name: string;
  /** Version of the specification; null where the suite does not distinguish them. */
  readonly version: string | null;
  readonly state: 'pass' | 'warning' | 'fail' | 'error';
  /** The failed checks, in the words of the suite. */
  readonly messages: readonly string[];
  /** Checks that need something which the server does not have or offer. */
  readonly unjudged: readonly string[];
}

/** Rules about the results of the suite. */
export const conformanceRules = ruleTexts({
  conformanceFailed: {
    severity: 'error',
    summary: 'The server breaks the specification of the protocol',
    why: 'Clients rely on what the specification says.',
    fix: 'Read the scenario in the official suite, @modelcontextprotocol/conformance.',
  },
  conformanceWarning: {
    severity: 'warning',
    summary: 'The server does not do what the specification recommends',
    why: 'Some clients rely on it.',
    fix: 'Read the scenario in the official suite, @modelcontextprotocol/conformance.',
  },
});

/** The failed checks as problems; a scenario that could not be run is not a problem of the server. */
export function problemsOfConformance(report: ConformanceReport | null): CheckProblem[] {
  if (report?.state !== 'ran') return [];
  return report.scenarios.flatMap(({ name, version, state, messages }) => {
    if (state !== 'fail' && state !== 'warning') return [];
    const rule = state === 'fail' ? conformanceRules.conformanceFailed : conformanceRules.conformanceWarning;
    return [problemOf(rule, { message: `${name}${version === null ? '' : ` (${version})`}: ${messages.join(' ')}` })];
  });
}
