import type { Feature } from '../../engine/feature.ts';
import { settingsOf } from './settings.ts';

/** Gives agents a browser, and reads its pages when they have ended. */
export const browser: Feature = {
  name: 'browser',
  async open(place) {
    if (place.role === 'coordinator' || !place.scenarios.some((scenario) => settingsOf(scenario) !== undefined)) {
      return undefined;
    }
    const { Browsers } = await import('./browsers.ts');
    return new Browsers(place);
  },
};
