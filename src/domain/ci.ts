import * as z from 'zod';
import { lazySchema } from '../shared/lazy-schema.ts';

/** Purpose of a scenario or a case; it decides whether its failures fail the build. */
const ciRoles = ['regression', 'capability', 'holdout'] as const;
export type CiRole = (typeof ciRoles)[number];

/** The last millisecond of a day, in UTC; undefined where the text is not a day. */
function endOfDay(day: string): number | undefined {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  // A date such as 30 February is read as one in March.
  if (Number.isNaN(start) || new Date(start).toISOString().slice(0, 10) !== day) return undefined;
  return start + 86_400_000 - 1;
}

export const quarantineSchema = lazySchema(() =>
  z.object({
    until: z
      .string()
      .refine((day) => endOfDay(day) !== undefined, { message: '`until` must be a date such as 2027-01-31' })
      .describe('last day on which it does not count, such as 2027-01-31 (UTC)'),
    owner: z.string().min(1).describe('who repairs it'),
    reason: z.string().min(1).optional().describe('why it does not count'),
  }),
);
export type Quarantine = z.infer<typeof quarantineSchema>;

export const passKSchema = lazySchema(() =>
  z.object({
    k: z.int().min(1).max(10_000).describe('number of trials that must all pass'),
    atLeast: z.number().min(0).max(1).describe('lowest chance of that'),
  }),
);

/** `ci` of a case, and of a scenario without its cases. */
export const ciRulesSchema = lazySchema(() =>
  z.object({
    role: z
      .enum(ciRoles)
      .optional()
      .describe(
        '`regression` (default): failures fail the build; `capability`: they do not; `holdout`: they do, and nothing is tuned for it',
      ),
    minPassRate: z.number().min(0).max(1).optional().describe('lowest share of trials that must pass'),
    passK: passKSchema.optional().describe('lowest chance that all of k trials pass (pass^k)'),
    maxCostRise: z
      .number()
      .min(0)
      .optional()
      .describe('with a baseline: allowed increase in mean cost per trial; 0.2 is 20 %'),
    quarantine: quarantineSchema.optional().describe('does not count until a date'),
  }),
);
export type CiRules = z.infer<typeof ciRulesSchema>;

/** `ci` of a scenario: its own rules, and those of cases by their names. */
export const scenarioCiSchema = lazySchema(() =>
  ciRulesSchema.extend({
    cases: z.record(z.string(), ciRulesSchema).optional().describe('rules of single cases, by name'),
  }),
);
export type ScenarioCi = z.infer<typeof scenarioCiSchema>;

/** Which rules apply to a case: its limits are its own, role and quarantine also those of its scenario. */
export function ciOfCase(ci: ScenarioCi | undefined, caseId: string): CiRules {
  const { role, quarantine } = ci ?? {};
  const cases = ci?.cases ?? {};
  const own = Object.hasOwn(cases, caseId) ? cases[caseId] : undefined;
  return { ...(role && { role }), ...(quarantine && { quarantine }), ...own };
}

/** Whether a quarantine still holds at some time. */
export function isQuarantined({ until }: Quarantine, at: number): boolean {
  return at <= (endOfDay(until) ?? 0);
}

/** Whether the failures of a case fail the build, at the time of its run. */
export function countsInCi({ role, quarantine }: CiRules, at: number): boolean {
  return role !== 'capability' && !(quarantine && isQuarantined(quarantine, at));
}
