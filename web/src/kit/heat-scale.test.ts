import { describe, expect, it } from 'vitest';
import { heatLook } from './heat-scale.tsx';

describe('heatLook', () => {
  it('has its ends for none and all alone, and distinguishes little from much', () => {
    expect([0, 0.001, 0.3, 0.55, 0.999, 1].map(heatLook)).toEqual([
      'bg-heat-0',
      'bg-heat-1',
      'bg-heat-2',
      'bg-heat-3',
      'bg-heat-5',
      'bg-heat-6',
    ]);
  });
});
