import {
  ClipboardCheck,
  FlaskConical,
  Gauge,
  GitCompareArrows,
  ListChecks,
  type LucideIcon,
  Plug,
  Ruler,
  Server,
  Settings,
  Users,
  Wrench,
} from 'lucide-react';

/** A page that one goes to from anywhere; by `g` and its key too. */
export interface Place {
  readonly to:
    | '/'
    | '/runs'
    | '/compare'
    | '/scenarios'
    | '/personas'
    | '/connectors'
    | '/rubrics'
    | '/review'
    | '/mcp'
    | '/workers'
    | '/settings';
  readonly label: string;
  readonly key: string;
  readonly icon: LucideIcon;
}

/** The navigation, in groups. */
export const placeGroups: readonly { readonly label: string; readonly places: readonly Place[] }[] = [
  {
    label: 'Results',
    places: [
      { to: '/', label: 'Dashboard', key: 'd', icon: Gauge },
      { to: '/runs', label: 'Runs', key: 'r', icon: ListChecks },
      { to: '/compare', label: 'Compare', key: 'c', icon: GitCompareArrows },
      { to: '/review', label: 'Review', key: 'v', icon: ClipboardCheck },
    ],
  },
  {
    label: 'Project',
    places: [
      { to: '/scenarios', label: 'Scenarios', key: 's', icon: FlaskConical },
      { to: '/personas', label: 'Personas', key: 'p', icon: Users },
      { to: '/connectors', label: 'Connectors', key: 'n', icon: Plug },
      { to: '/rubrics', label: 'Rubrics', key: 'u', icon: Ruler },
    ],
  },
  {
    label: 'System',
    places: [
      { to: '/mcp', label: 'MCP', key: 'm', icon: Wrench },
      { to: '/workers', label: 'Workers', key: 'w', icon: Server },
      { to: '/settings', label: 'Settings', key: 't', icon: Settings },
    ],
  },
];

/** All of them in one list. */
export const places: readonly Place[] = placeGroups.flatMap((group) => group.places);
