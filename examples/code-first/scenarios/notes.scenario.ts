import { defineScenario } from 'assay/scenario';

export default defineScenario({
  name: 'Takes a note',
  target: { binary: '../bin/notes' },
  task: 'Write down that we have to buy milk.',
  gates: [{ type: 'file_contains', path: 'notes.txt', substring: 'Buy milk' }],
  evaluators: [{ type: 'no-failed-calls' }],
});
