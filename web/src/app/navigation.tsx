import { Link } from '@tanstack/react-router';
import {
  ClipboardCheck,
  FlaskConical,
  Gauge,
  GitCompareArrows,
  ListChecks,
  type LucideIcon,
  Plug,
  Radio,
  Ruler,
  Server,
  Settings,
  Users,
  Wrench,
} from 'lucide-react';

/** A page that one goes to from anywhere; by `g` and its key too. */
interface Place {
  readonly to:
    | '/'
    | '/runs'
    | '/compare'
    | '/scenarios'
    | '/personas'
    | '/connectors'
    | '/rubrics'
    | '/review'
    | '/traces'
    | '/mcp'
    | '/workers'
    | '/settings';
  readonly label: string;
  readonly key: string;
  readonly icon: LucideIcon;
}

/** The navigation, in groups. */
const placeGroups: readonly { readonly label: string; readonly places: readonly Place[] }[] = [
  {
    label: 'Results',
    places: [
      { to: '/', label: 'Dashboard', key: 'd', icon: Gauge },
      { to: '/runs', label: 'Runs', key: 'r', icon: ListChecks },
      { to: '/compare', label: 'Compare', key: 'c', icon: GitCompareArrows },
      { to: '/review', label: 'Review', key: 'v', icon: ClipboardCheck },
      { to: '/traces', label: 'Traces', key: 'e', icon: Radio },
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

/** Links to every page. */
export function Navigation({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <nav aria-label="Pages" className="flex flex-col gap-4 px-2">
      {placeGroups.map((group) => (
        <div key={group.label}>
          <p className="px-2 pb-1 text-xs font-medium text-muted">{group.label}</p>
          <ul className="flex flex-col gap-px">
            {group.places.map(({ to, label, key, icon: Icon }) => (
              <li key={to}>
                <Link
                  to={to}
                  onClick={onNavigate}
                  activeOptions={{ exact: to === '/', includeSearch: false }}
                  aria-keyshortcuts={`g ${key}`}
                  className="flex h-8 items-center gap-2 rounded-md px-2 text-muted no-underline hover:bg-raised hover:text-ink data-[status=active]:bg-raised data-[status=active]:font-medium data-[status=active]:text-ink"
                >
                  <Icon size={16} aria-hidden />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
