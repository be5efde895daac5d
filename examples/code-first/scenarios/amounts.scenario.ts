import { defineScenario, defineSuite } from 'assay/scenario';

const call = { module: '../tool.ts', export: 'readAmount' };
const currencies = ['EUR', 'USD', 'JPY'];

/** Rows are yielded one after the other, so there may be more than fit in memory. */
async function* amounts() {
  for (const currency of currencies)
    for (const value of [1, 999.5, 1_250.5, 1_000_000])
      yield {
        name: `${value} ${currency}`,
        input: { text: `${value.toLocaleString('en-US')} ${currency}` },
        expected: { value, currency },
      };
}

export default defineSuite({
  tags: ['amounts'],
  scenarios: [
    defineScenario({
      name: 'Amounts in every currency',
      call,
      dataset: amounts,
      passCriteria: ['result.value === expected.value', 'result.currency === expected.currency'],
    }),
    // One scenario for each text that must be refused.
    ...['', '12', 'EUR 12', '12 euro'].map((text) =>
      defineScenario({
        name: `Refuses "${text}"`,
        call,
        input: { text },
        passCriteria: ["error.name === 'RangeError'"],
      }),
    ),
  ],
});
