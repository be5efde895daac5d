/** What every sender does: it puts each question to the model, with one tool that knows little. */
export const system = 'Be short.';
export const model = 'test-model';
export const questions = JSON.parse(process.env.WEATHER_QUESTIONS ?? '[]');
export const description = 'Current weather of a city';
export const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const known = { Rome: 'sunny', Oslo: 'rainy' };

export function weather({ city }) {
  const found = known[city];
  if (found === undefined) throw new Error(`no such city: ${city}`);
  return found;
}

/** Puts the questions one after the other; a request that the model refuses does not keep the next from being put. */
export async function putQuestions(ask) {
  for (const question of questions) {
    try {
      await ask(question);
    } catch (error) {
      console.log(`${question} ${error.message}`);
    }
  }
}
