import { source } from './statistics/draw.mjs';
import { measureTenPoints } from './statistics/experiments.mjs';

const { openPriceList } = await source('drive/models/prices.ts');

const replications = Number(process.env.REPLICATIONS ?? 1_500);
const cases = 50;
const repeats = 10;
/** A verdict on a criterion or two, with a short trace. */
const verdict = { inputTokens: 800, outputTokens: 60 };
const [dear, cheap] = ['openai/gpt-4o', 'openai/gpt-4o-mini'];
/** Share of first verdicts that are unsure, and of the sure ones that are checked. */
const unsure = 0.2;
const checked = 0.1;

/** Price of one decision: whether a change lost 10 points on 50 cases. Prints the table of docs/guides/judge.md. */
export async function decisionCost() {
  const costOf = await openPriceList({ providers: {}, prices: {} });
  const { trials, power, fixedPower } = measureTenPoints({ cases, repeats }, replications);
  const all = 2 * cases * repeats;
  const some = Math.round(all * trials);
  const escalated = Math.round(some * (unsure + checked * (1 - unsure)));
  const plans = [
    { what: 'all repeats of both versions', dear: all, cheap: 0, found: fixedPower },
    { what: 'until decided', dear: some, cheap: 0, found: power },
    { what: 'until decided, with the cascade', dear: escalated, cheap: some, found: power },
    { what: 'until decided by a figure that Assay measures', dear: 0, cheap: 0, found: undefined },
  ];
  return plans.map(({ what, found, ...verdicts }) => {
    const requests = verdicts.dear + verdicts.cheap;
    const usd = verdicts.dear * costOf(dear, verdict) + verdicts.cheap * costOf(cheap, verdict);
    const tokens = requests * (verdict.inputTokens + verdict.outputTokens);
    const share = found === undefined ? '' : `, a loss of 10 points is found in ${(100 * found).toFixed(1)} %`;
    const sent = verdicts.cheap > 0 ? `${verdicts.cheap} + ${verdicts.dear}` : `${verdicts.dear}`;
    return { what, measured: `${sent} verdicts, ${tokens.toLocaleString('en-US')} tokens, $${usd.toFixed(2)}${share}` };
  });
}
