"""What `manage.py test` runs, in a fresh database without history."""
from django.test import LiveServerTestCase, TestCase, TransactionTestCase

from .models import Tag


class RolledBackTests(TestCase):
    def test_requests_write_in_the_transaction_of_the_test(self):
        for way in "plain", "atomic", "bulk", "raw", "savepoint", "signal":
            self.assertEqual(self.client.post(f"/{way}/anyone-0-0/").status_code, 200)
        self.assertGreater(Tag.objects.count(), 5)


class CommittedTests(TransactionTestCase):
    def test_requests_commit(self):
        self.assertEqual(self.client.post("/plain/anyone-0-0/").status_code, 200)
        self.assertEqual(Tag.objects.count(), 2)


class ServerTests(LiveServerTestCase):
    def test_a_server_in_a_thread_writes(self):
        import urllib.request
        urllib.request.urlopen(f"{self.live_server_url}/plain/anyone-0-0/", b"").close()
        self.assertEqual(Tag.objects.count(), 2)
