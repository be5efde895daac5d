/** What the table of prices says of each model for people; nothing that computes a price reads it. */
const remarks =
  /^ +(?:description|price_comments): (?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\$]|\\.)*`),?\n/gm;

/** A plugin for Rolldown that leaves the remarks out of the table of prices: they are an eighth of it, and it is packed twice. */
export const smallPriceTable = {
  name: 'small-price-table',
  transform(code, id) {
    if (!id.endsWith('/@pydantic/genai-prices/dist/index.js')) return null;
    const small = code.replace(remarks, '');
    if (small.length === code.length)
      throw new Error('The table of prices has another form: its remarks were not found.');
    return { code: small, map: null };
  },
};
