import { parser } from '@prometheus-io/lezer-promql';
import { join } from 'node:path';
import { deployFolder } from './files.ts';

export const rulesFile = join(deployFolder, 'prometheus/alerts.yml');
const dashboardFile = join(deployFolder, 'grafana/petstore.json');

interface Rules {
  groups: { rules: { alert?: string; record?: string; expr: string }[] }[];
}

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

/** A query in PromQL, and where it is used. */
export interface Expression {
  usedBy: string;
  promql: string;
}

export async function ruleExpressions(): Promise<(Expression & { isRecorded: boolean })[]> {
  const { groups } = Bun.YAML.parse(await Bun.file(rulesFile).text()) as Rules;
  return groups
    .flatMap(({ rules }) => rules)
    .map(({ alert, record, expr }) => ({
      usedBy: alert ?? record ?? '',
      promql: expr,
      isRecorded: record !== undefined,
    }));
}

/** The queries of the dashboard, with its variables filled in as Grafana does. */
export async function dashboardExpressions(): Promise<Expression[]> {
  const { panels } = (await Bun.file(dashboardFile).json()) as Dashboard;
  return panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      usedBy: `the panel ${title}`,
      promql: expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$(?:job|instance)/g, '.*'),
    })),
  );
}

/** The metrics that a query reads, and the labels that it selects them by. Throws for what is not PromQL. */
export function readsOf(promql: string): { metrics: string[]; labels: string[] } {
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(promql).iterate({
    enter({ name, type, from, to, node }) {
      const text = promql.slice(from, to);
      if (type.isError) throw new Error(`This is not PromQL at character ${from}: ${promql}`);
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector') metrics.push(text);
      if (name === 'LabelName') labels.push(text);
    },
  });
  return { metrics, labels };
}
