from django.urls import path

from . import views

urlpatterns = [
    path("", views.tool_list, name="tool_list"),
    path("tools/<text:label>/switch/", views.tool_switch, name="tool_switch"),
    path("audit/", views.audit, name="audit"),
    path("account/", views.account, name="account"),
    path("account/tokens/<str:key>/revoke/", views.token_revoke, name="token_revoke"),
    path("theme/", views.theme, name="theme"),
    path("favicon.ico", views.favicon),
]
