// Research and operations with a person who writes Portuguese, and reports in Japanese.
import { must, named, nice, over } from '../script.mjs';
import { output } from '../filler.mjs';

export const name = 'research and ops (pt, ja)';

export function write(s) {
	s.user(
		`Bom dia! A réplica do Postgres em produção está atrasada desde ontem à noite e os relatórios saem errados. Preciso que você descubra a causa e proponha um plano. Não reinicie nada sem me perguntar antes. O horário de pico é das 9h às 18h, então qualquer mudança só depois disso.`,
		must('request', 'réplica', 'atrasada'),
		must('constraint', 'reinicie'),
		must('constraint', '18h'),
	);
	s.run(
		'psql -h db-replica -c "select now() - pg_last_xact_replay_timestamp()"',
		'    ?column?\n-----------------\n 09:41:22.118\n(1 row)',
	);
	s.run(
		'kubectl -n data get pods',
		'NAME            READY   STATUS    RESTARTS   AGE\npg-primary-0    1/1     Running   0          41d\npg-replica-0    1/1     Running   3          41d',
	);
	s.says(
		`O atraso está em 9 h 41 min. A réplica reiniciou três vezes desde ontem. Vou ver os logs e o disco.`,
	);
	s.user('pode olhar tudo que for leitura');
	s.fails(
		'kubectl -n data logs pg-replica-0 --tail=200',
		`${output(31, 'log', 30)}\nLOG:  started streaming WAL from primary at 2F/C1000000 on timeline 4\nFATAL:  could not receive data from WAL stream: ERROR:  requested WAL segment 000000040000002F000000C1 has already been removed\n${output(32, 'log', 20)}`,
		must('error', '000000040000002F000000C1'),
	);
	s.run(
		'kubectl -n data exec pg-primary-0 -- psql -c "show wal_keep_size"',
		' wal_keep_size\n---------------\n 512MB',
	);
	s.says(
		`A causa: o primário já apagou o segmento de WAL que a réplica precisa, porque wal_keep_size é de apenas 512MB e não existe um replication slot. A réplica não vai se recuperar sozinha; é preciso refazê-la com pg_basebackup.`,
		must('decision', 'wal_keep_size', '512MB'),
		must('step', 'pg_basebackup'),
	);
	s.small(2);
	s.user(
		`Entendi. O plano tem que cobrir:\n\n1. backup lógico antes de qualquer coisa\n2. criar o slot replica_a no primário\n3. refazer a réplica com limite de 80 MB/s na rede\n4. alerta quando o atraso passar de 5 minutos\n5. avisar o time de BI no canal #dados`,
		must('item', 'backup lógico'),
		must('item', 'slot replica_a'),
		named('rate', must('item', '80 MB/s')),
		must('item', '5 minutos'),
		must('item', '#dados'),
	);
	s.look('infra/postgres/values.yaml', 'infra/postgres/alerts.yaml');
	s.write('docs/plano-replica.md', must('file', 'docs/plano-replica.md'));
	s.says(
		'O plano está em docs/plano-replica.md, com os cinco pontos e o tempo estimado de cada um: cerca de 3 horas no total.',
		nice('decision', '3 horas'),
	);
	s.small(2);
	s.user(
		`ótimo. o backup vai para o bucket s3://acme-dr-backups, nunca para o bucket antigo`,
		must('constraint', 's3://acme-dr-backups'),
	);
	s.fails(
		'pg_dump -Fc -h db-primary app -f /backup/app.dump',
		`pg_dump: error: could not write to file: No space left on device`,
		named('space', must('error', 'No space left on device')),
	);
	s.says('O volume /backup está cheio. Posso enviar direto para o S3 sem arquivo intermediário.');
	s.user('pode ser');
	s.run(
		'pg_dump -Fc -h db-primary app | aws s3 cp - s3://acme-dr-backups/app.dump',
		'upload: - to s3://acme-dr-backups/app.dump',
		nice('decision', 'app.dump'),
	);
	s.run(
		'pg_dump -Fc -h db-primary app -f /backup/app.dump --exclude-table=events',
		'',
		over('space'),
	);
	s.says(
		`Backup feito: 212 GB em s3://acme-dr-backups/app.dump, verificado com pg_restore --list. Decidi fazer o dump em streaming, porque o disco local não comporta.`,
		must('decision', 'streaming'),
	);
	s.small(3);

	s.user(
		`これからは報告書を日本語でもお願いします。東京のチームが読みます。専門用語は英語のままで構いません。`,
		must('constraint', '日本語'),
		must('constraint', '専門用語'),
	);
	s.write('docs/report-ja.md');
	s.says(`報告書を docs/report-ja.md に書きました。専門用語は英語のままにしてあります。`);
	s.user(
		`グラフも入れてください。ただし画像は外部サービスに送らないでください。`,
		must('constraint', '外部サービス'),
	);
	s.run('python3 scripts/lag_chart.py --out docs/lag.svg', 'wrote docs/lag.svg');
	s.edit('docs/report-ja.md');
	s.says(`グラフは docs/lag.svg としてローカルで生成しました。`);
	s.small(3);

	s.user(
		`Voltando ao plano: crie o slot hoje às 19h. E o limite de rede mudou, a equipe de redes só libera 40 MB/s, não 80.`,
		over('rate'),
		must('constraint', '40 MB/s'),
		must('request', 'slot hoje às 19h'),
	);
	s.look('infra/postgres/values.yaml');
	s.edit('infra/postgres/values.yaml');
	s.edit('docs/plano-replica.md');
	s.run(
		`psql -h db-primary -c "select pg_create_physical_replication_slot('replica_a')"`,
		' (replica_a,)\n(1 row)',
	);
	s.says(
		`O slot replica_a existe. Optei por max_slot_wal_keep_size de 200GB, para que um slot parado não encha o disco do primário.`,
		must('decision', 'max_slot_wal_keep_size'),
	);
	s.small(3);
	s.user('quem mais usa a réplica além do BI? pesquisa aí');
	s.run(
		'psql -h db-replica -c "select usename, application_name, count(*) from pg_stat_activity group by 1,2"',
		' usename | application_name | count\n bi      | metabase         | 14\n fraud   | scorer           | 6\n app     | search-indexer   | 2',
	);
	s.look('services/fraud/config.yaml', 'services/search/indexer.yaml');
	s.says(
		`Além do Metabase, dois serviços leem dela: o scorer de fraude (6 conexões) e o search-indexer (2). O scorer não tem fallback; durante a reconstrução ele precisa apontar para o primário.`,
		must('decision', 'scorer', 'fallback'),
	);
	s.user(
		`Então o scorer aponta pro primário durante a janela, mas com pool de no máximo 4 conexões.`,
		must('constraint', '4 conexões'),
	);
	s.edit('services/fraud/config.yaml');
	s.says(
		'Configurado: pool de 4 conexões no primário, atrás da flag fraud_db_target. Falta aplicar em produção.',
		must('step', 'fraud_db_target'),
	);
	s.small(3);
	s.user('faz o teste da reconstrução em staging primeiro');
	s.fails(
		'pg_basebackup -h pg-primary.staging -D /data/new --max-rate=40M -S replica_a -X stream',
		`pg_basebackup: error: connection to server at "pg-primary.staging" (10.2.0.14), port 5432 failed: FATAL:  no pg_hba.conf entry for replication connection from host "10.2.3.7", user "repl", no encryption`,
		must('error', 'pg_hba.conf'),
	);
	s.says(
		`Em staging o pg_hba.conf não permite o usuário repl sem TLS. Preciso de sslmode=require ou de uma entrada nova; recomendo TLS. Qual prefere?`,
		nice('step', 'sslmode=require'),
	);
	s.small(2);
	s.user('TLS, claro. nada sem criptografia', must('decision', 'TLS'));
	s.look('infra/postgres/pg_hba.conf', 'infra/postgres/tls.yaml');
	s.edit('infra/postgres/tls.yaml');
	s.notes('O certificado de staging venceu em janeiro.');
	s.look('infra/certs/staging.yaml', 'infra/certs/issuer.yaml');
	s.look('infra/certs/renew.sh');
}
