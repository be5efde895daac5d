import * as z from 'zod';

/** What a gate said of the work that was left behind. Spellings are those of seed 002. */
export const gateResultSchema = z.object({
  gate_type: z.string(),
  passed: z.boolean(),
  message: z.string(),
  detail: z.unknown().optional(),
});
export type GateResult = z.infer<typeof gateResultSchema>;

/** What an evaluator script of the scenario's author reported. */
export const scriptResultSchema = z.object({
  name: z.string(),
  metrics: z.record(z.string(), z.unknown()).optional(),
  score: z.number().optional(),
  summary: z.string().optional(),
  error: z.string().optional(),
});
export type ScriptResult = z.infer<typeof scriptResultSchema>;
