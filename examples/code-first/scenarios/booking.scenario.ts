import { defineScenario } from 'assay/scenario';

export default defineScenario({
  name: 'Booking a table',
  connector: { type: 'module', reports: ['tool-calls'], config: { module: '../agent.mjs' } },
  dataset: ['Monday', 'Friday'].map((day) => ({ name: day, day })),
  userMessages: ['A table for two, please.', 'On {{day}}.'],
  evaluators: [
    { type: 'contains', config: { text: 'booked for {{day}}' }, when: 'final' },
    { type: 'tool-called', config: { tool: 'book_table' } },
    { type: 'turn-count' },
  ],
});
