import { defineScenario } from 'assay/scenario';

const readings = { freezing: [32, '0'], boiling: [212, '100'], equal: [-40, '-40'] } as const;

export default defineScenario({
  server: { command: 'node', args: ['server.mjs'], cwd: '..' },
  toolHealthSuites: [
    {
      name: 'Thermometer',
      tests: Object.entries(readings).map(([description, [fahrenheit, expectedResult]]) => ({
        name: 'celsius',
        description,
        args: { fahrenheit },
        expectedResult,
      })),
    },
  ],
});
