import { AssayError } from '../domain/errors.ts';

/** The limit that earlier programs took from the environment. */
export function budgetIn({
  LLM_TOOL_TEST_BUDGET_USD: written,
}: Readonly<Record<string, string | undefined>>): number | undefined {
  if (!written) return undefined;
  const usd = Number(written);
  if (Number.isFinite(usd) && usd >= 0) return usd;
  throw new AssayError('USAGE', `LLM_TOOL_TEST_BUDGET_USD is "${written}", which is no amount of money.`);
}
