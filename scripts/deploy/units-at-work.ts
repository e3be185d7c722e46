import { report } from './run.ts';
import type { Machine } from './systemd.ts';
import { untilTrue } from './until-true.ts';

const asService = 'sudo -u petstore petstore --env-file /etc/petstore/petstore.env';

/** The steps of docs/operations.md up to the first start. */
export async function prepare(machine: Machine): Promise<void> {
  await untilTrue('systemd has booted', async () =>
    /running|degraded/.test(await machine.shell('systemctl is-system-running || true')),
  );
  await machine.run('systemd-sysusers');
  await machine.shell('install -d -m 700 -o petstore -g petstore /var/lib/petstore /etc/petstore/tls');
  await machine.shell('chgrp petstore /etc/petstore/petstore.env; chmod 640 /etc/petstore/petstore.env');
  await machine.shell(
    `${asService} keys create --name till-1 --json | grep -o 'pets_[0-9A-Za-z]*' > /srv/key`,
  );
  report('keys are made before the first start, as the user of the service');
}

export async function checkService(machine: Machine): Promise<void> {
  await machine.run('systemctl', 'start', 'petstore');
  await expectReady(machine);
  report('systemctl start returns when the service is ready');
  await machine.shell(
    `${callWithKey} -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}'`,
  );
  await machine.shell('systemctl kill --signal=SIGKILL petstore');
  await machine.shell(`${asService} health --wait 60s`);
  const pets = await machine.shell(callWithKey);
  if (!pets.includes('"Rex"')) throw new Error(`The list holds ${pets}`);
  report('the service runs with all its restrictions, and is started again when it is killed');
  await machine.run('systemctl', 'stop', 'petstore');
  await expectState(machine, 'Result=success', 'ActiveState=inactive');
  report('it stops by itself in time');
  await machine.shell('echo LOG_LEVEL=none >> /etc/petstore/petstore.env; systemctl start petstore || true');
  await untilTrue('a mistake in the settings ends it', () => hasState(machine, 'ActiveState=failed'));
  await expectState(machine, 'NRestarts=0', 'ExecMainStatus=2');
  await machine.shell("sed -i '/^LOG_LEVEL=none$/d' /etc/petstore/petstore.env");
}

export async function checkJobs(machine: Machine): Promise<void> {
  await machine.run('systemctl', 'start', 'petstore');
  await machine.run('systemctl', 'start', 'petstore-backup.service');
  await machine.run('systemctl', 'start', 'petstore-rehearse.service');
  await machine.shell('install -d -m 775 -o root -g petstore /var/lib/prometheus/node-exporter');
  await machine.run('systemctl', 'start', 'petstore-backups-check.service');
  await machine.shell(
    "grep '^petstore_backup_rehearsed.* [1-9]' /var/lib/prometheus/node-exporter/petstore.prom",
  );
  const timers = ['petstore-backup.timer', 'petstore-rehearse.timer', 'petstore-backups-check.timer'];
  await machine.run('systemctl', 'enable', '--now', ...timers);
  report('a backup is made, rehearsed and checked, and the timers start');
}

export async function checkTls(machine: Machine): Promise<void> {
  const makeCertificate =
    'openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout key.pem -out cert.pem';
  await machine.shell(`cd /etc/petstore/tls; ${makeCertificate}; chown petstore *.pem`);
  const settings =
    'HOST=0.0.0.0 PORT=443 WORKERS=2 TLS_CERT=/etc/petstore/tls/cert.pem TLS_KEY=/etc/petstore/tls/key.pem';
  await machine.shell(`printf '%s\\n' ${settings} >> /etc/petstore/petstore.env`);
  await machine.shell('install -D -m 644 /srv/tls.conf /etc/systemd/system/petstore.service.d/tls.conf');
  await machine.shell('systemctl daemon-reload; systemctl restart petstore');
  await expectReady(machine);
  report('tls.conf lets it serve HTTPS on port 443');

  const served = () =>
    machine.shell(
      'openssl s_client -connect 127.0.0.1:443 </dev/null 2>/dev/null | openssl x509 -noout -serial',
    );
  const stored = () => machine.shell('openssl x509 -noout -serial -in /etc/petstore/tls/cert.pem');
  await machine.shell(`cd /etc/petstore/tls; ${makeCertificate}; systemctl restart petstore`);
  await untilTrue('a restart serves the new certificate', async () => (await served()) === (await stored()));
}

const callWithKey =
  'curl --silent --fail -H "Authorization: Bearer $(cat /srv/key)" http://127.0.0.1:8080/v1/pets';

async function expectReady(machine: Machine): Promise<void> {
  await machine.shell(`${asService} health`);
}

async function stateOf(machine: Machine): Promise<string> {
  return machine.run('systemctl', 'show', 'petstore');
}

async function hasState(machine: Machine, ...expected: string[]): Promise<boolean> {
  const lines = (await stateOf(machine)).split('\n');
  return expected.every((line) => lines.includes(line));
}

async function expectState(machine: Machine, ...expected: string[]): Promise<void> {
  if (await hasState(machine, ...expected)) return;
  const log = await machine.run('journalctl', '--unit=petstore', '--no-pager');
  throw new Error(`The service should have ${expected.join(', ')}. Its journal:\n${log}`);
}
