import { withDirectionsEscaped } from '../../shared/text.ts';
import type { CheckFormat } from './check-format.ts';

/** The report as it is. */
export const jsonFormat: CheckFormat = {
  name: 'json',
  endings: ['.json'],
  render: (report) => `${withDirectionsEscaped(JSON.stringify(report, null, 2))}\n`,
};
